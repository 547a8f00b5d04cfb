import type { RpcException } from './rpc.ts';

/** Base of every error that the local Functions host throws. */
export class FunctionsHostError extends Error {
  override readonly name: string = 'FunctionsHostError';
}

/** `host.json` or an app setting cannot be used. */
export class HostConfigurationError extends FunctionsHostError {
  override readonly name = 'HostConfigurationError';
}

/** The app's process ended, or reported an error, before it had registered its functions. */
export class AppLoadError extends FunctionsHostError {
  override readonly name = 'AppLoadError';
}

/** The app loaded, but what it registered would not work, or would be unsafe, in Azure. */
export class InvalidRegistrationError extends FunctionsHostError {
  override readonly name = 'InvalidRegistrationError';
}

/** A timer's schedule is no NCRONTAB expression, or names a moment that never comes. */
export class ScheduleError extends FunctionsHostError {
  override readonly name = 'ScheduleError';
}

/** A trigger cannot reach the hub or the storage account that it needs. */
export class TriggerStartError extends FunctionsHostError {
  override readonly name = 'TriggerStartError';
}

/** The app's process did not become ready within the time that the caller could wait. */
export class AppUnavailableError extends FunctionsHostError {
  override readonly name = 'AppUnavailableError';
}

/** The app's process ended while the invocation was in flight. */
export class AppExitedError extends FunctionsHostError {
  override readonly name = 'AppExitedError';
}

/** The invocation took longer than `functionTimeout`; the app's process was killed for it. */
export class FunctionTimeoutError extends FunctionsHostError {
  override readonly name = 'FunctionTimeoutError';
}

/** The host is closing: the invocation was never started, or will not be tried again. */
export class InvocationCancelledError extends FunctionsHostError {
  override readonly name = 'InvocationCancelledError';
}

/** The function, or one of the app's hooks, threw. */
export class FunctionFailedError extends FunctionsHostError {
  override readonly name = 'FunctionFailedError';
  readonly exception: RpcException;

  constructor(functionName: string, exception: RpcException) {
    super(`Function ${functionName} failed: ${exception.message}`);
    this.exception = exception;
  }
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  // Node reports a connection that failed on several addresses with an empty message.
  if (thrown instanceof AggregateError && thrown.message === '') {
    return thrown.errors.map(messageOf).join('; ');
  }
  return thrown instanceof Error ? thrown.message : String(thrown);
}
