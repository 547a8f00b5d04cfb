/** How much a walk may still do. A walk that has spent its budget stops between two batches and is taken up by the next. */
export interface WalkBudget {
  /** How many of `wanted` events may be taken in now; 0 ends the walk. */
  take(wanted: number): number;
  readonly isSpent: boolean;
  /** Ends the walk for another reason: a sibling failed, the lease is lost. */
  stop(): void;
}

/** A budget of time: batches begin until it is over. */
export class TimeBudget implements WalkBudget {
  readonly #deadline: number;
  #isStopped = false;

  constructor(milliseconds: number) {
    this.#deadline = performance.now() + milliseconds;
  }

  get isSpent(): boolean {
    return this.#isStopped || performance.now() >= this.#deadline;
  }

  take(wanted: number): number {
    return this.isSpent ? 0 : wanted;
  }

  stop(): void {
    this.#isStopped = true;
  }
}

/** A budget of events. */
export class EventBudget implements WalkBudget {
  #left: number;

  constructor(events: number) {
    this.#left = events;
  }

  get isSpent(): boolean {
    return this.#left === 0;
  }

  take(wanted: number): number {
    const granted = Math.min(wanted, this.#left);
    this.#left -= granted;
    return granted;
  }

  stop(): void {
    this.#left = 0;
  }
}
