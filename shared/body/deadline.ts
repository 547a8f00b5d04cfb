/** Thrown when the time that a request may take is over. What is finished stays; the sender has to send it again. */
export class TimeIsUpError extends Error {
  override readonly name = 'TimeIsUpError';
}

/** When a request has to be answered. */
export class Deadline {
  /** When the request came in, milliseconds since 1970. */
  readonly startedAt: number;
  readonly #endsAt: number;
  readonly #halfAt: number;

  /** `startedAt`: of a record that came in another request, long before this. */
  constructor(milliseconds: number, startedAt = Date.now()) {
    this.startedAt = startedAt;
    const now = Date.now();
    this.#halfAt = now + milliseconds / 2;
    this.#endsAt = now + milliseconds;
  }

  get remainingMs(): number {
    return Math.max(0, this.#endsAt - Date.now());
  }

  /** For work that others go on with: what is left of the time is for the step that it is in, and for the answer. */
  get isHalfOver(): boolean {
    return Date.now() >= this.#halfAt;
  }

  /** Between two steps of the work. Throws TimeIsUpError. */
  check(): void {
    if (this.remainingMs === 0) throw new TimeIsUpError('the request took too long');
  }
}
