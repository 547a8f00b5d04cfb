import { CosmosError, REQUEST_RATE_TOO_LARGE } from './errors.ts';

const SECOND_MS = 1000;

/**
 * The request unit budget of one container: a bucket that holds one second's worth and fills steadily. As at the
 * service, an operation is let in while anything is left, and its charge, known afterwards, may overdraw the bucket.
 */
export class Throttle {
  readonly #unitsPerSecond: number;
  readonly #now: () => number;
  #available: number;
  #filledAtMs: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(unitsPerSecond: number, now: () => number = () => performance.now()) {
    this.#unitsPerSecond = unitsPerSecond;
    this.#now = now;
    this.#available = unitsPerSecond;
    this.#filledAtMs = now();
  }

  /** @throws {CosmosError} 429 with the milliseconds after which to come back */
  admit(): void {
    this.#fill();
    if (this.#available > 0) return;
    const retryAfterMs = Math.ceil((-this.#available / this.#unitsPerSecond) * SECOND_MS) + 1;
    throw new CosmosError(429, 'The request rate is too large. Please retry after sometime.', {
      substatus: REQUEST_RATE_TOO_LARGE,
      retryAfterMs,
    });
  }

  charge(units: number): void {
    this.#available -= units;
  }

  #fill(): void {
    const nowMs = this.#now();
    const gained = ((nowMs - this.#filledAtMs) / SECOND_MS) * this.#unitsPerSecond;
    this.#available = Math.min(this.#unitsPerSecond, this.#available + gained);
    this.#filledAtMs = nowMs;
  }
}
