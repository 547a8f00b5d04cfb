import type { Api } from './api.ts';
import type { Snapshot } from './snapshot.ts';

/** One part of the page that an address leads to. */
export interface View {
  readonly title: string;
  readonly element: HTMLElement;
  /** The address leads here, or its parameters have changed. */
  open(parameters: URLSearchParams): void;
  update(snapshot: Snapshot): void;
}

/** What views have in common. */
export interface Context {
  readonly api: Api;
  /** Says in passing what was done. */
  announce(text: string): void;
  /** Shows an error plainly; a refused key asks for another one. `doing` completes "… could not be …". */
  report(doing: string, error: unknown): void;
  /** Numbers have changed by something done here: do not wait for the next turn. */
  refresh(): void;
}
