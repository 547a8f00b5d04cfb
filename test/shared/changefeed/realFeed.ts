import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ContainerClient } from '@azure/storage-blob';
import type { JsonValue } from '../../../shared/change/json.ts';

/** A recorded container of a real account lies beside the checkout, where it does; it is no part of the project. */
const FOLDER = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'samples', 'changefeed-2020');
const CONTENT = join(FOLDER, '$blobchangefeed');

/** What `node:test` takes as `skip`. */
export const WITHOUT_REAL_FEED = existsSync(FOLDER) ? false : 'the recorded change feed is not beside the checkout';

export interface RealEvent {
  readonly chunk: string;
  readonly id: string;
  readonly record: {
    readonly subject: string;
    readonly eventType: string;
    readonly data: { readonly [name: string]: JsonValue };
  };
}

/** Every event, in the order of segments, chunks and blocks. */
export function realEvents(): RealEvent[] {
  const rows = JSON.parse(readFileSync(join(FOLDER, 'expected-events.json'), 'utf8')) as [
    string,
    number,
    number,
    string,
    RealEvent['record'],
  ][];
  return rows.map(([chunk, , , id, record]) => ({ chunk, id, record }));
}

export function expectedDigest(): string {
  const summary = JSON.parse(readFileSync(join(FOLDER, 'expected-summary.json'), 'utf8'));
  return summary.sha256_of_ids_newline_joined_in_segment_order;
}

export function digestOf(ids: readonly string[]): string {
  return createHash('sha256')
    .update(ids.map((id) => `${id}\n`).join(''))
    .digest('hex');
}

/** Uploads the recording, or only the blobs that `isWanted`; chunks as append blobs. */
export async function loadRealFeed(container: ContainerClient, isWanted = (_name: string) => true): Promise<void> {
  await container.createIfNotExists();
  for (const name of globSync('**/*.{avro,json}', { cwd: CONTENT }).sort()) {
    if (!isWanted(name)) continue;
    const bytes = readFileSync(join(CONTENT, name));
    if (!name.endsWith('.avro')) await container.getBlockBlobClient(name).upload(bytes, bytes.length);
    else {
      const blob = container.getAppendBlobClient(name);
      await blob.create();
      await blob.appendBlock(bytes, bytes.length);
    }
  }
}
