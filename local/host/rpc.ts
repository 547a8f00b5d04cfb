/**
 * The data that crosses from the host to the app's process and back. The inner shapes are those that `@azure/functions`
 * reads and writes (the real host's gRPC messages, as JavaScript objects); the outer messages are our own.
 */

/** A 64-bit integer as newer protobuf decoders leave it: two signed 32-bit halves. */
export interface LongHalves {
  readonly low: number;
  readonly high: number;
  readonly unsigned: boolean;
}

/** One value; exactly one member is set. */
export interface TypedData {
  readonly string?: string;
  readonly json?: string;
  readonly bytes?: Uint8Array;
  readonly int?: number;
  readonly double?: number;
  readonly http?: HttpData;
  readonly collectionBytes?: { readonly bytes: readonly Uint8Array[] };
  readonly collectionString?: { readonly string: readonly string[] };
  readonly collectionSint64?: { readonly sint64: readonly (number | LongHalves)[] };
}

export type NullableStrings = Readonly<Record<string, { readonly value: string }>>;

/** An HTTP request (first five members and `body`) or an HTTP response (the others and `body`). */
export interface HttpData {
  readonly url?: string;
  readonly method?: string;
  readonly nullableHeaders?: NullableStrings;
  readonly nullableQuery?: NullableStrings;
  readonly nullableParams?: NullableStrings;
  readonly statusCode?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly HttpCookie[];
  readonly body?: TypedData | null | undefined;
}

/** A cookie with the protobuf wrappers that the library puts around optional members. */
export interface HttpCookie {
  readonly name: string;
  readonly value: string;
  readonly domain?: { readonly value: string } | undefined;
  readonly path?: { readonly value: string } | undefined;
  readonly expires?: { readonly value: { readonly seconds: number } } | undefined;
  readonly secure?: { readonly value: boolean } | undefined;
  readonly httpOnly?: { readonly value: boolean } | undefined;
  readonly sameSite?: 'none' | 'lax' | 'strict' | 'explicitNone';
  readonly maxAge?: { readonly value: number } | undefined;
}

export interface RpcException {
  readonly message: string;
  readonly source: string;
  readonly stackTrace: string;
}

/** Sent with every attempt after the first. `maxRetryCount` -1 means without end. */
export interface RetryContext {
  readonly retryCount: number;
  readonly maxRetryCount: number;
  readonly exception: RpcException;
}

export interface InvocationRequest {
  readonly invocationId: string;
  readonly functionId: string;
  readonly inputData: readonly { readonly name: string; readonly data: TypedData }[];
  readonly triggerMetadata: Readonly<Record<string, TypedData>>;
  readonly retryContext?: RetryContext;
}

export interface InvocationResponse {
  readonly invocationId: string;
  readonly returnValue?: TypedData | null | undefined;
}

/** The durations are milliseconds, as the app wrote them: the library rounds its own copy to whole seconds. */
export interface DeclaredRetry {
  readonly strategy: string;
  readonly maxRetryCount: number;
  readonly delayMs?: number;
  readonly minimumMs?: number;
  readonly maximumMs?: number;
}

/** What the app registered, before the host has looked at it. */
export interface FunctionDeclaration {
  readonly name: string;
  /** The trigger's binding object, with the library's defaults filled in. */
  readonly trigger: Readonly<Record<string, unknown>>;
  /** Whether the app itself named an `authLevel`. */
  readonly explicitAuthLevel: boolean;
  readonly retry?: DeclaredRetry;
}

export type HostMessage =
  | { readonly kind: 'invoke'; readonly request: InvocationRequest }
  | { readonly kind: 'terminate' };

export type AppMessage =
  | { readonly kind: 'ready'; readonly functions: readonly FunctionDeclaration[] }
  | { readonly kind: 'loadFailed'; readonly message: string; readonly stack: string }
  | { readonly kind: 'response'; readonly response: InvocationResponse }
  | { readonly kind: 'failure'; readonly invocationId: string; readonly exception: RpcException }
  | { readonly kind: 'log'; readonly level: string; readonly scope: string; readonly message: string };

const APP_MESSAGE_KINDS: ReadonlySet<unknown> = new Set(['ready', 'loadFailed', 'response', 'failure', 'log']);

/** False for whatever the app's own code may have put on the channel with `process.send`. */
export function isAppMessage(message: unknown): message is AppMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && APP_MESSAGE_KINDS.has(message.kind);
}

/** The form in which an error travels and is shown to a retried function. */
export function toRpcException(thrown: unknown): RpcException {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { message: error.message, source: error.name, stackTrace: error.stack ?? '' };
}
