import Module from 'node:module';
import type { InvocationRequest, InvocationResponse } from '../rpc.ts';

/**
 * The module `@azure/functions-core` that the Node worker of Azure injects and that `@azure/functions` asks for. Without
 * it the library silently registers nothing, so the host checks afterwards that functions have arrived.
 */
const CORE_MODULE_ID = '@azure/functions-core';
/** Feature probes in the library compare nothing; the strings only show up in logs. */
const WORKER_VERSION = '3.16.1';
const HOST_VERSION = '4.1053.100';

/** Hooks of the kind `log` can be registered, and are not run here. */
export type HookName = 'preInvocation' | 'postInvocation' | 'appStart' | 'appTerminate' | 'log';
const HOOK_NAMES: ReadonlySet<string> = new Set<HookName>([
  'preInvocation',
  'postInvocation',
  'appStart',
  'appTerminate',
  'log',
]);

export type FunctionCallback = (...args: unknown[]) => unknown;
export type HookCallback = (context: object) => unknown;
export type CoreLog = (level: string, category: string, message: string) => void;

export interface FunctionMetadata {
  readonly name: string;
  readonly bindings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** The retry policy as the library rounded it. */
  readonly retryOptions?: unknown;
}

export interface RegisteredCallback {
  readonly metadata: FunctionMetadata;
  readonly callback: FunctionCallback;
}

/** The part of the library that turns a request into a call; one per invocation. */
export interface InvocationModel {
  getArguments(): Promise<{ context: unknown; inputs: unknown[] }>;
  invokeFunction(context: unknown, inputs: unknown[], callback: FunctionCallback): Promise<unknown>;
  getResponse(context: unknown, result: unknown): Promise<InvocationResponse>;
}

export interface CoreInvocationContext {
  readonly invocationId: string;
  readonly request: InvocationRequest;
  readonly metadata: FunctionMetadata;
  state?: 'preInvocationHooks' | 'invocation' | 'postInvocationHooks';
  readonly log: CoreLog;
}

export interface ProgrammingModel {
  readonly name: string;
  getInvocationModel(context: CoreInvocationContext): InvocationModel;
  getCapabilities(capabilities: Record<string, string>): Promise<Record<string, string>>;
}

/** Undoes a registration. The static `from` is part of what the worker offers. */
class Disposable {
  readonly #dispose: () => unknown;

  constructor(dispose: () => unknown) {
    this.#dispose = dispose;
  }

  static from(...disposables: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const disposable of disposables) {
        disposable.dispose();
      }
    });
  }

  dispose(): void {
    this.#dispose();
  }
}

/** What the app registered while it loaded. Registrations end when the app has started. */
export class AppRegistry {
  readonly functions = new Map<string, RegisteredCallback>();
  readonly #hooks = new Map<string, Set<HookCallback>>();
  programmingModel: ProgrammingModel | undefined;
  #open = true;

  closeRegistrations(): void {
    this.#open = false;
  }

  registerFunction(metadata: FunctionMetadata, callback: FunctionCallback): Disposable {
    if (!this.#open) {
      throw new Error('A function can only be registered during app startup.');
    }
    if (this.functions.has(metadata.name)) {
      throw new Error(`A function with name "${metadata.name}" has already been registered.`);
    }
    this.functions.set(metadata.name, { metadata, callback });
    return new Disposable(() => this.functions.delete(metadata.name));
  }

  registerHook(name: string, callback: HookCallback): Disposable {
    if (!HOOK_NAMES.has(name)) {
      throw new RangeError(`Unrecognized hook "${name}"`);
    }
    const callbacks = this.#hooks.get(name) ?? new Set();
    this.#hooks.set(name, callbacks.add(callback));
    return new Disposable(() => callbacks.delete(callback));
  }

  /** Runs the hooks of one kind in the order of registration. A hook that throws ends the row. */
  async runHooks(name: HookName, context: object): Promise<void> {
    for (const callback of this.#hooks.get(name) ?? []) {
      await callback(context);
    }
  }
}

/** Makes `require('@azure/functions-core')` answer, from any module of this process, with the registry's functions. */
export function installCoreModule(registry: AppRegistry, log: CoreLog): void {
  const core = {
    version: WORKER_VERSION,
    hostVersion: HOST_VERSION,
    Disposable,
    setProgrammingModel: (model: ProgrammingModel) => {
      registry.programmingModel = model;
    },
    getProgrammingModel: () => registry.programmingModel,
    registerFunction: (metadata: FunctionMetadata, callback: FunctionCallback) =>
      registry.registerFunction(metadata, callback),
    registerHook: (name: string, callback: HookCallback) => registry.registerHook(name, callback),
    log,
  };
  const original = Module.prototype.require;
  Module.prototype.require = new Proxy(original, {
    apply: (target, self, args: [string]) => (args[0] === CORE_MODULE_ID ? core : Reflect.apply(target, self, args)),
  });
}
