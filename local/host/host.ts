import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { AdminApi } from './adminApi.ts';
import type { Log } from './appChild.ts';
import { AppSupervisor } from './appSupervisor.ts';
import { CheckpointStore } from './checkpoints.ts';
import { InvalidRegistrationError, messageOf, TriggerStartError } from './errors.ts';
import type { SequenceNumberForm } from './eventHubPayload.ts';
import { EventHubTrigger } from './eventHubTrigger.ts';
import { type HostJson, readHostJson } from './hostJson.ts';
import { HttpServer } from './httpServer.ts';
import { FunctionKey } from './keys.ts';
import { checkRegistrations, type RegisteredFunction } from './registration.ts';
import { connectionString, type Settings } from './settings.ts';
import { hostId, TimerStatusBlob } from './timerStatus.ts';
import { isMonitored, TimerTrigger } from './timerTrigger.ts';

export type { RegisteredFunction } from './registration.ts';

const STORAGE_CONNECTION = 'AzureWebJobsStorage';
/** How long running invocations may take to end when the host closes. */
const DRAIN_MS = 10_000;

export interface FunctionsHostOptions {
  /** Folder of the built app: its package.json (`main` is a glob) and host.json. */
  readonly appRoot: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
  /** The app settings: the app's environment, and the source of connections and of `%NAME%` in trigger options. */
  readonly settings: Settings;
  /** Opens functions of level `function` and `admin`, and the admin routes. */
  readonly functionKey: string;
  /** How the function sees `sequenceNumberArray`; `long` is what newer workers do. Default `number`. */
  readonly sequenceNumberForm?: SequenceNumberForm;
  readonly log?: Log;
}

export interface FunctionsHost {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  readonly functions: readonly RegisteredFunction[];
  /** Undefined while the app is down. */
  readonly appPid: number | undefined;
  /** Ends the app's process, with SIGKILL unless said otherwise; the host starts it again. */
  killApp(signal?: NodeJS.Signals): void;
  /** Stops the triggers, lets running invocations end for a while, and ends the app. */
  close(): Promise<void>;
}

/**
 * Starts a built Functions app under the trigger semantics of Azure. Resolves when the app has loaded and its triggers
 * listen. Rejects with HostConfigurationError, AppLoadError, InvalidRegistrationError, TriggerStartError or the
 * error of a port that is taken; nothing is left running then.
 */
export async function startFunctionsHost(options: FunctionsHostOptions): Promise<FunctionsHost> {
  const hostJson = readHostJson(options.appRoot);
  const host = new LocalHost(options, hostJson);
  try {
    await host.start();
  } catch (error) {
    await host.close();
    throw error;
  }
  return host;
}

/** The parts of one running host; they are made in `start`, in the order in which they depend on each other. */
class LocalHost implements FunctionsHost {
  readonly #options: FunctionsHostOptions;
  readonly #hostJson: HostJson;
  readonly #log: Log;
  readonly #timers = new Map<string, TimerTrigger>();
  readonly #eventHubs: EventHubTrigger[] = [];
  #functions: readonly RegisteredFunction[] = [];
  #supervisor: AppSupervisor | undefined;
  #admin: AdminApi | undefined;
  #server: HttpServer | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: FunctionsHostOptions, hostJson: HostJson) {
    this.#options = options;
    this.#hostJson = hostJson;
    this.#log = options.log ?? (() => undefined);
  }

  get url(): string {
    return this.#server?.url ?? '';
  }

  get functions(): readonly RegisteredFunction[] {
    return this.#functions;
  }

  get appPid(): number | undefined {
    return this.#supervisor?.pid;
  }

  killApp(signal: NodeJS.Signals = 'SIGKILL'): void {
    this.#supervisor?.kill(signal);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async start(): Promise<void> {
    const { appRoot, settings } = this.#options;
    const supervisor = await AppSupervisor.start({
      appRoot,
      settings,
      log: this.#log,
      functionTimeoutMs: this.#hostJson.functionTimeoutMs,
      accept: (declarations) => this.#accept(checkRegistrations(declarations, settings, this.#hostJson.routePrefix)),
    });
    this.#supervisor = supervisor;
    for (const registered of this.#functions) {
      this.#prepareTrigger(registered, supervisor);
    }
    const admin = new AdminApi({
      functions: this.#functions,
      timers: this.#timers,
      supervisor,
      hostUrl: () => this.url,
      log: this.#log,
    });
    this.#admin = admin;
    this.#server = await HttpServer.listen({
      port: this.#options.port ?? 0,
      functions: this.#functions.filter((registered) => registered.kind === 'http'),
      key: new FunctionKey(this.#options.functionKey),
      supervisor,
      admin,
      log: this.#log,
    });
    await Promise.all([...this.#eventHubs, ...this.#timers.values()].map(startTrigger));
  }

  /** The triggers are made for the functions that came first; a restarted app must bring the same ones. */
  #accept(functions: readonly RegisteredFunction[]): void {
    if (this.#functions.length > 0 && !isDeepStrictEqual(functions, this.#functions)) {
      throw new InvalidRegistrationError('The app has been rebuilt with other functions: the host must be restarted.');
    }
    this.#functions = functions;
  }

  #prepareTrigger(registered: RegisteredFunction, supervisor: AppSupervisor): void {
    const { appRoot, settings, sequenceNumberForm = 'number' } = this.#options;
    const where = `Function ${registered.name}`;
    const storage = () => connectionString(STORAGE_CONNECTION, settings, where);
    if (registered.kind === 'timer') {
      const statusBlob = isMonitored(registered)
        ? new TimerStatusBlob(storage(), hostId(settings, appRoot), registered.name)
        : undefined;
      this.#timers.set(
        registered.name,
        new TimerTrigger({ timer: registered, supervisor, statusBlob, log: this.#log }),
      );
    } else if (registered.kind === 'eventHub') {
      const trigger = new EventHubTrigger({
        eventHub: registered,
        connectionString: connectionString(registered.connection, settings, where),
        options: this.#hostJson.eventHubs,
        checkpoints: new CheckpointStore(storage()),
        supervisor,
        sequenceNumberForm,
        log: this.#log,
      });
      this.#eventHubs.push(trigger);
    }
  }

  async #close(): Promise<void> {
    const drained = Promise.all([
      this.#server?.close(),
      this.#admin?.close(),
      ...[...this.#eventHubs, ...this.#timers.values()].map((trigger) => trigger.stop()),
    ]);
    const timeUp = new AbortController();
    await Promise.race([drained, delay(DRAIN_MS, undefined, { signal: timeUp.signal }).catch(() => undefined)]);
    timeUp.abort();
    // Whatever still runs fails with the app's process, and then its trigger ends too.
    await this.#supervisor?.close();
    this.#server?.closeAllConnections();
    await drained;
  }
}

async function startTrigger(trigger: EventHubTrigger | TimerTrigger): Promise<void> {
  try {
    await trigger.start();
  } catch (cause) {
    throw new TriggerStartError(`The trigger of ${trigger.functionName} cannot start: ${messageOf(cause)}`, { cause });
  }
}
