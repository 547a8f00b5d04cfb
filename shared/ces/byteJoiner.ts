/** Joins pieces of bytes one by one, so that each may be let go of as soon as it is joined. */
export class ByteJoiner {
  #bytes: Uint8Array;
  #length = 0;

  /** `expectedBytes`: how long the whole is going to be. */
  constructor(expectedBytes: number) {
    this.#bytes = Buffer.allocUnsafeSlow(expectedBytes);
  }

  append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }

  /** All that was joined. Nothing of it stays here. */
  take(): Uint8Array {
    const joined = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.alloc(0);
    this.#length = 0;
    return joined;
  }
}
