import type * as AzureFunctions from '@azure/functions';
import type { DeclaredRetry } from '../rpc.ts';
import type { FunctionMetadata } from './coreModule.ts';

/**
 * What the app wrote in its registrations and the library does not pass on: whether an HTTP function names its
 * `authLevel` (the library fills in `anonymous`), and retry durations in full (the library rounds them to seconds).
 * Both are seen by looking at the arguments of `app.http`, `app.timer` and so on before the library does.
 */
export interface Declared {
  readonly explicitAuthLevel: boolean;
  readonly retry?: DeclaredRetry;
}

const MS_PER_SECOND = 1000;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

/** A duration is a number of milliseconds or an object of hours, minutes, seconds and milliseconds. */
function durationMs(value: unknown): number | undefined {
  if (typeof value === 'number') {
    return value;
  }
  if (!isRecord(value)) {
    return undefined;
  }
  const part = (name: string) => Number(value[name] ?? 0);
  const minutes = part('hours') * 60 + part('minutes');
  return (minutes * 60 + part('seconds')) * MS_PER_SECOND + part('milliseconds');
}

function readRetry(retry: unknown): DeclaredRetry | undefined {
  if (!isRecord(retry)) {
    return undefined;
  }
  const delayMs = durationMs(retry.delayInterval);
  const minimumMs = durationMs(retry.minimumInterval);
  const maximumMs = durationMs(retry.maximumInterval);
  return {
    strategy: String(retry.strategy),
    maxRetryCount: Number(retry.maxRetryCount),
    ...(delayMs === undefined ? {} : { delayMs }),
    ...(minimumMs === undefined ? {} : { minimumMs }),
    ...(maximumMs === undefined ? {} : { maximumMs }),
  };
}

/**
 * What can be told of a bundled app, whose library is out of sight: retry durations are whole seconds, and an `authLevel`
 * counts as named, for the same code has been looked at before it was bundled.
 */
export function declaredIn({ retryOptions }: FunctionMetadata): Declared {
  const retry = readRetry(retryOptions);
  return { explicitAuthLevel: true, ...(retry === undefined ? {} : { retry }) };
}

/**
 * Wraps the registering functions of the app's own copy of `@azure/functions`, in place. Must run before the app's
 * modules load. Returns the map, by function name, that fills up as they register.
 */
export function observeDeclarations(library: Pick<typeof AzureFunctions, 'app' | 'trigger'>): Map<string, Declared> {
  const declared = new Map<string, Declared>();
  const defaultedTriggers = new WeakSet<object>();
  const namesAuthLevel = (options: unknown) =>
    isRecord(options) && typeof options.authLevel === 'string' && !defaultedTriggers.has(options);

  const { app, trigger } = library;
  const makeHttpTrigger = trigger.http;
  trigger.http = (options) => {
    const made = makeHttpTrigger(options);
    if (!namesAuthLevel(options)) {
      defaultedTriggers.add(made);
    }
    return made;
  };

  for (const method of Object.keys(app)) {
    const register: unknown = Reflect.get(app, method);
    if (typeof register !== 'function' || method === 'setup') {
      continue;
    }
    const observed = (name: unknown, options: unknown) => {
      const record = isRecord(options) ? options : {};
      const retry = readRetry(record.retry);
      declared.set(String(name), {
        explicitAuthLevel: namesAuthLevel(record) || namesAuthLevel(record.trigger),
        ...(retry === undefined ? {} : { retry }),
      });
      return Reflect.apply(register, app, [name, options]);
    };
    Reflect.set(app, method, observed);
  }
  return declared;
}
