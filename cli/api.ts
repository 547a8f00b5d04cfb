import type { CommandContext } from './command.ts';
import { readStackFile } from './stackFile.ts';

/** Thrown when the app does not answer, or answers that something is wrong. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number | undefined;

  constructor(message: string, status: number | undefined, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
  }
}

/** Options of every command that asks the app. */
export const API_OPTIONS = { url: { type: 'string' }, key: { type: 'string' } } as const;

export interface ApiTarget {
  readonly url: string;
  readonly key: string;
}

const TIME_LIMIT_MS = 120_000;

/**
 * Where the app is: `--url` and `--key`, else TRIBUTARY_URL and TRIBUTARY_KEY, else the local stack. Throws ApiError.
 */
export async function apiTarget(
  options: { readonly url?: string | undefined; readonly key?: string | undefined },
  context: CommandContext,
): Promise<ApiTarget> {
  const { environment } = context;
  const url = options.url ?? environment.TRIBUTARY_URL;
  const key = options.key ?? environment.TRIBUTARY_KEY;
  if (url !== undefined) return { url: url.replace(/\/+$/, ''), key: key ?? '' };
  const stack = await readStackFile(context);
  if (stack === undefined) {
    throw new ApiError(
      'there is no local stack (start one with `npm start`); name the app with --url and --key, or TRIBUTARY_URL and TRIBUTARY_KEY',
      undefined,
    );
  }
  return { url: stack.functionsUrl, key: key ?? stack.functionKey };
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly query?: { readonly [name: string]: string | undefined };
  readonly body?: object | Uint8Array;
  readonly headers?: { readonly [name: string]: string };
}

/** Asks the app; undefined for an answer without content. The caller knows the shape. Throws ApiError. */
export async function callApi<Answer>(
  { url, key }: ApiTarget,
  path: string,
  { method = 'GET', query = {}, body, headers = {} }: ApiRequest = {},
): Promise<Answer> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const address = `${url}/api/${path}${given.length === 0 ? '' : `?${new URLSearchParams(given)}`}`;
  let response: Response;
  try {
    response = await fetch(address, {
      method,
      headers: { 'x-functions-key': key, ...headers },
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      ...(body === undefined ? {} : { body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
    });
  } catch (error) {
    throw new ApiError(`the app at ${url} does not answer`, undefined, { cause: error });
  }
  const text = await response.text();
  if (!response.ok) throw new ApiError(describe(response.status, text), response.status);
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

function describe(status: number, text: string): string {
  if (status === 401) return 'the function key is missing or wrong (401): give it with --key or TRIBUTARY_KEY';
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null && 'error' in answer) return `${answer.error} (${status})`;
  } catch {
    // Not ours then; the status says enough.
  }
  return `the app answered ${status}`;
}
