/** Runs tasks one after another, in the order in which they came. Tasks must not reject. */
export class RunQueue {
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  /** Whether a task runs or waits. */
  get busy(): boolean {
    return this.#waiting > 0;
  }

  /** Resolves when this task has run. */
  enqueue(task: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    this.#last = this.#last.then(task).finally(() => {
      this.#waiting -= 1;
    });
    return this.#last;
  }

  /** Resolves when everything that was enqueued until now has run. */
  idle(): Promise<void> {
    return this.#last;
  }
}
