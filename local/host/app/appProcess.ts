/**
 * The app's process: a child of the host, so that it can be killed without the host. It injects the core module, loads
 * the app through the real library, reports what was registered, and answers invocations over the IPC channel.
 * The one argument is the app's folder.
 */
import type * as AzureFunctions from '@azure/functions';
import type { AppMessage, FunctionDeclaration, HostMessage } from '../rpc.ts';
import { toRpcException } from '../rpc.ts';
import { AppRegistry, type CoreLog, installCoreModule } from './coreModule.ts';
import { type Declared, declaredIn, observeDeclarations } from './declarations.ts';
import { runInvocation } from './invocation.ts';
import { findLibrary, loadAppFiles } from './loadApp.ts';

const EXIT_AFTER_ERROR = 1;

const registry = new AppRegistry();
const appHookData = {};

/** Resolves when the message has left, or cannot leave any more because the host is gone. */
function send(message: AppMessage): Promise<void> {
  return new Promise((resolve) => {
    if (process.send === undefined || !process.connected) {
      resolve();
      return;
    }
    process.send(message, undefined, undefined, () => resolve());
  });
}

function logFor(scope: string): CoreLog {
  return (level, _category, message) => void send({ kind: 'log', level, scope, message });
}

/** Not a type guard on purpose: everything further is checked where it is used. */
function asLibrary(loaded: unknown): Pick<typeof AzureFunctions, 'app' | 'trigger'> {
  if (typeof loaded === 'object' && loaded !== null && 'app' in loaded && 'trigger' in loaded) {
    return loaded as Pick<typeof AzureFunctions, 'app' | 'trigger'>;
  }
  throw new Error('The app has no usable copy of @azure/functions.');
}

/** `declared` is undefined for a bundled app. */
function describe(declared: ReadonlyMap<string, Declared> | undefined): FunctionDeclaration[] {
  return [...registry.functions.values()].map(({ metadata }) => {
    const trigger = Object.values(metadata.bindings).find((binding) => /trigger$/i.test(String(binding.type)));
    const declaration = declared === undefined ? declaredIn(metadata) : declared.get(metadata.name);
    if (declaration === undefined) {
      throw new Error(
        `${metadata.name} was registered through another copy of @azure/functions than the app folder's.`,
      );
    }
    const { explicitAuthLevel, retry } = declaration;
    const name = Object.entries(metadata.bindings).find(([, binding]) => binding === trigger)?.[0];
    return {
      name: metadata.name,
      // Through JSON, as the worker does it: functions and undefined members must not cross.
      trigger: JSON.parse(JSON.stringify({ ...trigger, name })),
      explicitAuthLevel,
      ...(retry === undefined ? {} : { retry }),
    };
  });
}

async function startApp(appRoot: string): Promise<void> {
  installCoreModule(registry, logFor('worker'));
  const library = findLibrary(appRoot);
  const declared = library === undefined ? undefined : observeDeclarations(asLibrary(library));
  await loadAppFiles(appRoot);
  registry.closeRegistrations();
  await registry.runHooks('appStart', { hookData: {}, appHookData });
  const capabilities = (await registry.programmingModel?.getCapabilities({})) ?? {};
  if (capabilities.HttpUri !== undefined) {
    throw new Error('The app enables HTTP streaming (enableHttpStream), which the local host does not offer.');
  }
  await send({ kind: 'ready', functions: describe(declared) });
}

async function invoke(message: HostMessage & { kind: 'invoke' }): Promise<void> {
  const { request } = message;
  try {
    const response = await runInvocation(registry, appHookData, request, logFor(request.functionId));
    await send({ kind: 'response', response });
  } catch (thrown) {
    await send({ kind: 'failure', invocationId: request.invocationId, exception: toRpcException(thrown) });
  }
}

async function terminate(): Promise<void> {
  try {
    await registry.runHooks('appTerminate', { hookData: {}, appHookData });
  } finally {
    process.exit(0);
  }
}

process.on('message', (message: HostMessage) => void (message.kind === 'invoke' ? invoke(message) : terminate()));
// The channel also closes when the host was killed: nobody could use this process any more.
process.on('disconnect', () => process.exit(EXIT_AFTER_ERROR));
// Ctrl-C reaches the whole process group; it is the host that decides when the app ends.
process.on('SIGINT', () => undefined);
process.on('uncaughtException', async (error) => {
  await send({ kind: 'log', level: 'critical', scope: 'app', message: `Uncaught exception: ${error.stack ?? error}` });
  process.exit(EXIT_AFTER_ERROR);
});

try {
  await startApp(process.argv[2] ?? process.cwd());
} catch (thrown) {
  const { message, stackTrace } = toRpcException(thrown);
  await send({ kind: 'loadFailed', message, stack: stackTrace });
  process.exit(EXIT_AFTER_ERROR);
}
