import { z } from 'zod';
import type { Log } from './appChild.ts';
import type { AppSupervisor, TriggerInput } from './appSupervisor.ts';
import { messageOf } from './errors.ts';
import { manualEventHubInput } from './eventHubPayload.ts';
import type { Answer } from './httpMessages.ts';
import type { RegisteredFunction } from './registration.ts';
import { RunQueue } from './runQueue.ts';
import type { TimerTrigger } from './timerTrigger.ts';

const runBody = z.object({ input: z.unknown() });

export interface AdminApiOptions {
  readonly functions: readonly RegisteredFunction[];
  readonly timers: ReadonlyMap<string, TimerTrigger>;
  readonly supervisor: AppSupervisor;
  /** Where HTTP functions are reached; only used in the URL that a manual run shows them. */
  readonly hostUrl: () => string;
  readonly log: Log;
}

function json(status: number, value: unknown): Answer {
  return { status, headers: [['content-type', 'application/json']], body: Buffer.from(JSON.stringify(value)) };
}

/**
 * The admin routes: `GET host/status` (open to everybody, as with Core Tools), `GET functions`, and
 * `POST functions/{name}` with `{"input": …}`, which starts a run and answers 202 at once. Manual runs of one function
 * run one at a time, in order, and those of a timer also wait for its scheduled run; none is dropped.
 */
export class AdminApi {
  readonly #options: AdminApiOptions;
  readonly #queues = new Map<string, RunQueue>();
  #closing = false;

  constructor(options: AdminApiOptions) {
    this.#options = options;
  }

  answer(method: string, path: string, authorised: boolean, body: Buffer): Answer {
    const [area, name, ...more] = path.split('/');
    if (method === 'GET' && path === 'host/status') {
      return json(200, { state: this.#options.supervisor.isReady ? 'Running' : 'Starting' });
    }
    if (!authorised) {
      return { status: 401 };
    }
    if (area !== 'functions' || more.length > 0) {
      return { status: 404 };
    }
    if (method === 'GET' && name === undefined) {
      return json(
        200,
        this.#options.functions.map((registered) => ({ name: registered.name, trigger: registered.kind })),
      );
    }
    return method === 'POST' && name !== undefined ? this.#run(name, body) : { status: 404 };
  }

  /** Drops the runs that have not begun, and resolves when those that have are over. */
  async close(): Promise<void> {
    this.#closing = true;
    await Promise.all([...this.#queues.values()].map((queue) => queue.idle()));
  }

  #run(encodedName: string, body: Buffer): Answer {
    const registered = this.#options.functions.find(
      ({ name }) => encodeURIComponent(name).toLowerCase() === encodedName.toLowerCase(),
    );
    if (registered === undefined) {
      return { status: 404 };
    }
    let parsed: z.infer<typeof runBody>;
    try {
      parsed = runBody.parse(JSON.parse(body.toString('utf8')));
    } catch (error) {
      return json(400, { message: `The body must be JSON such as {"input": ""}: ${messageOf(error)}` });
    }
    const input = typeof parsed.input === 'string' ? parsed.input : JSON.stringify(parsed.input ?? '');
    this.#start(registered, input);
    return { status: 202 };
  }

  #start(registered: RegisteredFunction, input: string): void {
    const timer = this.#options.timers.get(registered.name);
    if (timer !== undefined) {
      timer.runNow();
      return;
    }
    const queue = this.#queues.get(registered.name) ?? new RunQueue();
    this.#queues.set(registered.name, queue);
    queue.enqueue(async () => {
      if (this.#closing) {
        return;
      }
      try {
        await this.#options.supervisor.invoke(registered.name, this.#manualInput(registered, input));
      } catch (error) {
        this.#options.log(`${registered.name} (manual run): ${messageOf(error)}`);
      }
    });
  }

  #manualInput(registered: RegisteredFunction, input: string): TriggerInput {
    if (registered.kind === 'eventHub') {
      return manualEventHubInput(registered, input);
    }
    const url = `${this.#options.hostUrl()}/${registered.kind === 'http' ? registered.route.text : ''}`;
    return { bindingName: registered.bindingName, data: { http: { url, method: 'POST', body: { string: input } } } };
  }
}
