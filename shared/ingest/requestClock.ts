/**
 * The clock reading that what a request brings arrives with. Rows may be ahead of it, because another instance's clock is;
 * what comes later in the same request, and is of other rows or of a whole table, still comes after them.
 */
export class RequestClock {
  #nowMs: number;

  /** `startedAt`: when the request came in, in milliseconds since 1970. */
  constructor(startedAt: number) {
    this.#nowMs = startedAt;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Something of the request arrived with the reading `clockMs`. */
  pass(clockMs: number): void {
    this.#nowMs = Math.max(this.#nowMs, clockMs + 1);
  }
}
