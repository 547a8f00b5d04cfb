import { revived } from '../shared/change/largeValue.ts';
import type {
  Change,
  DeadLetter,
  DeadLetterFilter,
  DeadLetterSummary,
  Health,
  Page,
  Replayed,
  RowDocument,
  Status,
  TableSummary,
} from './contract.ts';

const TIME_LIMIT_MS = 10_000;
/** Replays and purges do real work. */
const LONG_TIME_LIMIT_MS = 120_000;
const MS_PER_SECOND = 1_000;

/** Thrown when the API refuses or does not answer; `status` is 0 where there was no answer. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  /** How long the API asks to be left alone; 0 where it does not. */
  readonly retryAfterMs: number;

  constructor(status: number, message: string, retryAfterMs = 0, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  get isKeyRefused(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

type Parameters = { readonly [name: string]: string | undefined };

interface Request {
  readonly method?: string;
  readonly body?: object;
  readonly timeLimitMs?: number;
}

export interface RowHistory {
  readonly row: RowDocument | null;
  readonly changes: readonly Change[];
  readonly continuation: string | null;
}

/** The API beside which the page is served. Every method throws ApiError. */
export class Api {
  readonly #key: () => string;

  constructor(key: () => string) {
    this.#key = key;
  }

  status(): Promise<Status> {
    return this.#ask('status');
  }

  /** The health of the app; also when it is down, which answers 503. */
  health(): Promise<Health> {
    return this.#ask('health', {}, {}, [503]);
  }

  async tables(continuation?: string): Promise<Page<TableSummary>> {
    const answer = await this.#ask<{ tables: TableSummary[]; continuation: string | null }>('tables', { continuation });
    return { items: answer.tables, continuation: answer.continuation };
  }

  async rows(table: string, continuation?: string): Promise<Page<RowDocument>> {
    const parameters = { table, limit: '50', continuation };
    const answer = await this.#ask<{ rows: RowDocument[]; continuation: string | null }>('rows', parameters);
    return { items: answer.rows.map(revived), continuation: answer.continuation };
  }

  async row(table: string, id: string, continuation?: string): Promise<RowHistory> {
    const answer = await this.#ask<RowHistory>('rows', { table, id, continuation });
    return { ...answer, row: answer.row && revived(answer.row), changes: answer.changes.map(revived) };
  }

  async deadLetters(filter: DeadLetterFilter, continuation?: string): Promise<Page<DeadLetterSummary>> {
    const parameters = { ...filter, limit: '50', continuation };
    const answer = await this.#ask<{ deadLetters: DeadLetterSummary[]; continuation: string | null }>(
      'deadletters',
      parameters,
    );
    return { items: answer.deadLetters, continuation: answer.continuation };
  }

  deadLetter(stream: string, id: string): Promise<DeadLetter> {
    return this.#ask(`deadletters/${encodeURIComponent(id)}`, { stream });
  }

  /** One bounded piece of the work: the answer's `continuation` is for the next one. */
  replay(
    which: { readonly ids: readonly { readonly stream: string; readonly id: string }[] } | { filter: DeadLetterFilter },
    force: boolean,
    continuation: string | null,
  ): Promise<Replayed> {
    const body = { ...which, force, continuation };
    return this.#ask('deadletters/replay', {}, { method: 'POST', body, timeLimitMs: LONG_TIME_LIMIT_MS });
  }

  async deleteDeadLetter(stream: string, id: string): Promise<void> {
    await this.#ask(`deadletters/${encodeURIComponent(id)}`, { stream }, { method: 'DELETE' });
  }

  async #ask<Answer>(
    path: string,
    parameters: Parameters = {},
    { method = 'GET', body, timeLimitMs = TIME_LIMIT_MS }: Request = {},
    accepted: readonly number[] = [],
  ): Promise<Answer> {
    const present = Object.entries(parameters).filter((each): each is [string, string] => Boolean(each[1]));
    const query = present.length === 0 ? '' : `?${new URLSearchParams(present)}`;
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${path}${query}`, {
        method,
        headers: {
          'x-functions-key': this.#key(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeLimitMs),
        cache: 'no-store',
        credentials: 'omit',
      });
      text = await response.text();
    } catch (error) {
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError';
      const message = isTimeout ? `no answer within ${timeLimitMs / MS_PER_SECOND} seconds` : 'the API does not answer';
      throw new ApiError(0, message, 0, { cause: error });
    }
    if (response.ok || accepted.includes(response.status)) return answerOf<Answer>(response.status, text);
    const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0);
    throw new ApiError(response.status, complaintOf(response.status, text), (retryAfterSeconds || 0) * MS_PER_SECOND);
  }
}

function answerOf<Answer>(status: number, text: string): Answer {
  try {
    return JSON.parse(text === '' ? 'null' : text) as Answer;
  } catch (error) {
    throw new ApiError(status, 'the answer is not JSON', 0, { cause: error });
  }
}

/** What the API says is wrong, or else its status. */
function complaintOf(status: number, text: string): string {
  try {
    const { error } = JSON.parse(text) as { readonly error?: unknown };
    if (typeof error === 'string') return `${error} (status ${status})`;
  } catch {
    // An answer of something in between, such as a gateway's page: its status has to do.
  }
  return `the API answers with status ${status}`;
}
