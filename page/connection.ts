import { setText } from './dom.ts';
import { clock } from './format.ts';

type State = 'waiting' | 'live' | 'stale' | 'paused' | 'locked';

/**
 * Says whether the numbers in sight are those of now. After a failure they stay, marked as stale with the time of the
 * last answer, until the API answers again.
 */
export class Connection {
  readonly #line: HTMLElement;
  readonly #trouble: HTMLElement;
  #answeredAt: Date | undefined;

  constructor(line: HTMLElement, trouble: HTMLElement) {
    this.#line = line;
    this.#trouble = trouble;
  }

  answered(): void {
    this.#answeredAt = new Date();
    this.#show('live', 'Live');
    this.#trouble.hidden = true;
    setText(this.#trouble, '');
  }

  failed(error: unknown): void {
    const since = this.#answeredAt === undefined ? 'no data yet' : `stale since ${clock(this.#answeredAt)}`;
    this.#show('stale', this.#answeredAt === undefined ? 'No data' : `Stale since ${clock(this.#answeredAt)}`);
    this.#trouble.hidden = false;
    const message = error instanceof Error ? error.message : String(error);
    setText(this.#trouble, `No fresh numbers (${since}): ${message}. Trying again.`);
  }

  paused(): void {
    this.#show('paused', 'Paused');
  }

  locked(): void {
    this.#answeredAt = undefined;
    this.#show('locked', 'Locked');
    this.#trouble.hidden = true;
  }

  waiting(): void {
    this.#show('waiting', 'Connecting');
  }

  #show(state: State, text: string): void {
    document.documentElement.dataset.connection = state;
    this.#line.dataset.state = state;
    setText(this.#line, text);
  }
}
