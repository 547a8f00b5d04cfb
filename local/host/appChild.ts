import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { AppExitedError, AppLoadError, FunctionFailedError } from './errors.ts';
import {
  type AppMessage,
  type FunctionDeclaration,
  type HostMessage,
  type InvocationRequest,
  type InvocationResponse,
  isAppMessage,
} from './rpc.ts';
import type { Settings } from './settings.ts';

const APP_PROCESS = fileURLToPath(new URL('./app/appProcess.ts', import.meta.url));
/** What a process needs from the machine; everything else the app sees is an app setting, as in Azure. */
const INHERITED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'TMP', 'TEMP', 'SystemRoot'];
/** As the real host: how long `appTerminate` hooks may take. */
const TERMINATE_GRACE_MS = 5_000;
/** An app that is not loaded by then hangs in its top-level code. */
const LOAD_TIMEOUT_MS = 60_000;

export type Log = (line: string) => void;

export interface AppChildOptions {
  readonly appRoot: string;
  readonly settings: Settings;
  readonly log: Log;
}

interface PendingInvocation {
  readonly functionName: string;
  resolve(response: InvocationResponse): void;
  reject(error: Error): void;
}

function environment(settings: Settings): NodeJS.ProcessEnv {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(inherited),
    AZURE_FUNCTIONS_ENVIRONMENT: 'Development',
    FUNCTIONS_WORKER_RUNTIME: 'node',
    ...settings,
  };
}

/**
 * One process of the app, from fork to exit. When it exits, whatever the cause, every invocation in flight fails with
 * {@link AppExitedError}: the host cannot know how far they came.
 */
export class AppChild {
  readonly #process: ChildProcess;
  readonly #log: Log;
  readonly #pending = new Map<string, PendingInvocation>();
  readonly #loaded = Promise.withResolvers<readonly FunctionDeclaration[]>();
  readonly #exited = Promise.withResolvers<string>();
  #exitReason: string | undefined;

  constructor(options: AppChildOptions) {
    this.#log = options.log;
    this.#process = fork(APP_PROCESS, [options.appRoot], {
      cwd: options.appRoot,
      env: environment(options.settings),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    const loadTimer = setTimeout(() => {
      this.#loaded.reject(new AppLoadError(`The app did not load within ${LOAD_TIMEOUT_MS} ms.`));
      this.kill('SIGKILL');
    }, LOAD_TIMEOUT_MS);
    this.#loaded.promise.catch(() => undefined).finally(() => clearTimeout(loadTimer));
    this.#process.on('message', (message) => this.#onMessage(message));
    this.#process.on('error', (error) => this.#onExit(error.message));
    this.#process.on('exit', (code, signal) => this.#onExit(signal ?? `exit code ${code}`));
    this.#forward(this.#process.stdout);
    this.#forward(this.#process.stderr);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** The signal or exit code; undefined while the process runs. */
  get exitReason(): string | undefined {
    return this.#exitReason;
  }

  /** What the app registered. Rejects with {@link AppLoadError}. */
  get loaded(): Promise<readonly FunctionDeclaration[]> {
    return this.#loaded.promise;
  }

  get exited(): Promise<string> {
    return this.#exited.promise;
  }

  /** Rejects with {@link FunctionFailedError} or {@link AppExitedError}. */
  invoke(request: InvocationRequest): Promise<InvocationResponse> {
    if (this.#exitReason !== undefined) {
      return Promise.reject(new AppExitedError(`The app's process has ended (${this.#exitReason}).`));
    }
    return new Promise((resolve, reject) => {
      this.#pending.set(request.invocationId, { functionName: request.functionId, resolve, reject });
      this.#send({ kind: 'invoke', request });
    });
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** Lets the app run its `appTerminate` hooks, for a few seconds, and ends the process. */
  async terminate(): Promise<void> {
    this.#send({ kind: 'terminate' });
    const force = setTimeout(() => this.kill('SIGKILL'), TERMINATE_GRACE_MS);
    await this.exited;
    clearTimeout(force);
  }

  #send(message: HostMessage): void {
    if (this.#process.connected) {
      // A channel that breaks meanwhile means that the process is ending: `exit` tells everybody.
      this.#process.send(message, () => undefined);
    }
  }

  #onMessage(message: unknown): void {
    if (isAppMessage(message)) {
      this.#handle(message);
    }
  }

  #handle(message: AppMessage): void {
    switch (message.kind) {
      case 'ready':
        this.#loaded.resolve(message.functions);
        return;
      case 'loadFailed':
        this.#log(message.stack);
        this.#loaded.reject(new AppLoadError(`The app failed to load: ${message.message}`));
        return;
      case 'log':
        this.#log(`[${message.scope}] ${message.level}: ${message.message}`);
        return;
      case 'response':
        this.#take(message.response.invocationId)?.resolve(message.response);
        return;
      case 'failure': {
        const pending = this.#take(message.invocationId);
        pending?.reject(new FunctionFailedError(pending.functionName, message.exception));
        return;
      }
    }
  }

  #take(invocationId: string): PendingInvocation | undefined {
    const pending = this.#pending.get(invocationId);
    this.#pending.delete(invocationId);
    return pending;
  }

  #onExit(reason: string): void {
    if (this.#exitReason !== undefined) {
      return;
    }
    this.#exitReason = reason;
    this.#loaded.reject(new AppLoadError(`The app's process ended while it was loading (${reason}).`));
    for (const { functionName, reject } of this.#pending.values()) {
      reject(new AppExitedError(`The app's process ended (${reason}) while ${functionName} was running.`));
    }
    this.#pending.clear();
    this.#exited.resolve(reason);
  }

  #forward(stream: Readable | null): void {
    if (stream !== null) {
      createInterface({ input: stream }).on('line', (line) => this.#log(`[app] ${line}`));
    }
  }
}
