/** How long between two polls while all is well. */
export const POLL_MS = 2_000;
const MAX_BACK_OFF_MS = 15_000;

export interface Polled<Answer> {
  ask(): Promise<Answer>;
  onAnswer(answer: Answer): void;
  /** Returns how long to wait at least until the next attempt. */
  onFailure(error: unknown): number;
  onPause(): void;
}

/**
 * Asks every two seconds, one question at a time:
 *
 *     stopped -- start --> asking --> waiting --> asking …
 *        ^                    |           |
 *        +------ stop --------+-- page hidden --> paused -- page shown --> asking
 *
 * Failures in a row wait longer each time, at most fifteen seconds, and at least as long as the API wants.
 */
export class Poller<Answer> {
  readonly #polled: Polled<Answer>;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isRunning = false;
  #round = 0;
  #failures = 0;

  constructor(polled: Polled<Answer>) {
    this.#polled = polled;
    document.addEventListener('visibilitychange', () => {
      if (!this.#isRunning) return;
      if (!document.hidden) this.pollNow();
      else {
        this.#cancel();
        this.#polled.onPause();
      }
    });
  }

  start(): void {
    this.#isRunning = true;
    this.pollNow();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancel();
  }

  /** Asks at once instead of at the next turn. */
  pollNow(): void {
    this.#cancel();
    if (this.#isRunning && !document.hidden) void this.#poll(this.#round);
  }

  /** Whatever is under way no longer counts. */
  #cancel(): void {
    this.#round++;
    clearTimeout(this.#timer);
  }

  async #poll(round: number): Promise<void> {
    let waitMs = POLL_MS;
    try {
      const answer = await this.#polled.ask();
      if (round !== this.#round) return;
      this.#failures = 0;
      this.#polled.onAnswer(answer);
    } catch (error) {
      if (round !== this.#round) return;
      const backOffMs = Math.min(MAX_BACK_OFF_MS, POLL_MS * 2 ** this.#failures++);
      waitMs = Math.max(backOffMs, this.#polled.onFailure(error));
    }
    if (round === this.#round && this.#isRunning) this.#timer = setTimeout(() => this.#poll(round), waitMs);
  }
}
