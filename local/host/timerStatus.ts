import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import type { BlockBlobClient } from '@azure/storage-blob';
import { z } from 'zod';
import type { Settings } from './settings.ts';
import { hostContainer, isNotFound } from './storage.ts';

const CONTAINER = 'azure-webjobs-hosts';
const HOST_ID_SETTING = 'AzureFunctionsWebHost__hostid';
const HOST_ID_DIGITS = 16;

const status = z.object({ Last: z.iso.datetime(), Next: z.iso.datetime(), LastUpdated: z.iso.datetime() });
/** When a timer last ran, comes due next, and when this was written: ISO 8601, UTC. */
export type TimerStatus = z.infer<typeof status>;

/** The name under which this app keeps its timers' state; set, or derived from the app folder. */
export function hostId(settings: Settings, appRoot: string): string {
  const digest = createHash('sha256').update(resolve(appRoot)).digest('hex');
  return settings[HOST_ID_SETTING] ?? `local-${digest.slice(0, HOST_ID_DIGITS)}`;
}

/** The status blob of one timer, `timers/<host id>/<function>/status`. */
export class TimerStatusBlob {
  readonly #blob: BlockBlobClient;
  readonly #createContainer: () => Promise<unknown>;

  constructor(storage: string, host: string, functionName: string) {
    const container = hostContainer(storage, CONTAINER);
    this.#blob = container.getBlockBlobClient(`timers/${host}/${functionName}/status`);
    this.#createContainer = () => container.createIfNotExists();
  }

  /** Undefined when the timer has never run, or when what is stored cannot be read as a status. */
  async read(): Promise<TimerStatus | undefined> {
    try {
      const content = await this.#blob.downloadToBuffer();
      return status.safeParse(JSON.parse(content.toString('utf8'))).data;
    } catch (error) {
      if (isNotFound(error) || error instanceof SyntaxError) {
        return undefined;
      }
      throw error;
    }
  }

  async write(value: TimerStatus): Promise<void> {
    const content = JSON.stringify(value);
    await this.#createContainer();
    await this.#blob.upload(content, Buffer.byteLength(content));
  }
}
