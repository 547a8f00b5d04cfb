import { StoreUnavailableError, ValueGoneError } from '../store/errors.ts';

/** Lets work of one stream be done one after another, in the order in which it took its turn, side by side with others'. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Does `work` when all work is done that took a turn of `stream` before. A fault in that, or a value that is gone, keeps nobody
   * from his turn; a store that failed does: then `work` is not done, and its StoreUnavailableError is thrown.
   */
  take<Result>(stream: string, work: () => Promise<Result>): Promise<Result> {
    const turn = (this.#last.get(stream) ?? Promise.resolve()).then(work);
    const done = turn.catch((error: unknown) => {
      if (error instanceof StoreUnavailableError && !(error instanceof ValueGoneError)) throw error;
    });
    // Heard by the next turn, if there is one; that there is none must not end the process.
    done.catch(() => undefined);
    this.#last.set(stream, done);
    return turn;
  }
}
