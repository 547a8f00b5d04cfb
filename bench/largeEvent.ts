import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startAzurite } from '../local/azurite.ts';
import { startCosmosGateway } from '../local/cosmos/gateway.ts';
import { avroData, jsonData } from '../local/samples/render.ts';
import type { SampleEvent } from '../local/samples/sampleEvent.ts';
import { type SplitEncoding, splitEvent } from '../local/samples/splitEvent.ts';

/**
 * What it takes to put one very large event together: growth of the app's process over its idle memory, against the
 * size of the event. The floor is 1, the event itself.
 */
export const name = 'large-event';

const MEBIBYTE = 2 ** 20;
const EVENT_BYTES = 64 * MEBIBYTE;
const SEGMENTS = 600;
const COLUMNS = 64;
/** As many pieces as an Event Hub trigger hands over at once when prefetch holds large events. */
const PIECES_PER_BATCH = 50;

export interface LargeEventReport {
  readonly idleBytes: number;
  readonly peakBytes: number;
}

export async function run(): Promise<readonly string[]> {
  const gateway = await startCosmosGateway({});
  const azurite = await startAzurite({});
  try {
    const lines: string[] = [];
    for (const encoding of ['json', 'avro'] as const) {
      const { eventBytes, pieces } = largeEvent(encoding);
      const settings = {
        COSMOS_ENDPOINT: gateway.endpoint,
        COSMOS_KEY: gateway.key,
        AzureWebJobsStorage: azurite.connectionString,
      };
      const { idleBytes, peakBytes } = await consumeInChild(settings, pieces);
      const growth = peakBytes - idleBytes;
      lines.push(
        `${encoding.padEnd(4)} ${inMebibytes(eventBytes)} in ${pieces.length} segments: idle ${inMebibytes(idleBytes)}, ` +
          `peak ${inMebibytes(peakBytes)}, growth ${(growth / eventBytes).toFixed(2)} x the event (limit 4)`,
      );
    }
    return lines;
  } finally {
    await azurite.close();
    await gateway.close();
  }
}

/** One row of Latin-1 text whose `Data` record has `EVENT_BYTES`. */
function largeEvent(encoding: SplitEncoding): { readonly eventBytes: number; readonly pieces: readonly Uint8Array[] } {
  const names = Array.from({ length: COLUMNS }, (_, n) => `Text${n}`);
  const event = (filler: number): SampleEvent => ({
    id: 'a1b2c3d4-0000-4000-8000-000000000000',
    time: '2026-08-07T16:30:10.123Z',
    operation: 'INS',
    table: {
      db: 'Bench',
      schema: 'dbo',
      tbl: `Large_${encoding}`,
      columns: [{ name: 'Id', type: 'int' }, ...names.map((column) => ({ name: column, type: 'nvarchar(max)' }))],
      key: ['Id'],
      logicalPrefix: `large-${encoding}`,
    },
    sentColumns: ['Id', ...names],
    keys: { Id: 1 },
    commitLsn: '000000B1:000008A8:0007',
    beginLsn: '000000B1:000008A8:0003',
    sequenceNumber: 1,
    old: null,
    current: { Id: 1, ...Object.fromEntries(names.map((column, n) => [column, `${n} Ære være `.repeat(filler)])) },
  });
  const sizeOf = (of: SampleEvent) => (encoding === 'avro' ? avroData(of).byteLength : Buffer.byteLength(jsonData(of)));
  const empty = sizeOf(event(0));
  const perFiller = sizeOf(event(1)) - empty;
  const large = event(Math.floor((EVENT_BYTES - empty) / perFiller));
  const eventBytes = sizeOf(large);
  return { eventBytes, pieces: splitEvent(large, { encoding, base: 0, maxBytes: Math.ceil(eventBytes / SEGMENTS) }) };
}

async function consumeInChild(
  settings: Readonly<Record<string, string>>,
  pieces: readonly Uint8Array[],
): Promise<LargeEventReport> {
  const child = fork(join(import.meta.dirname, 'parts', 'largeEventConsumer.ts'), {
    serialization: 'advanced',
    execArgv: ['--expose-gc'],
    env: { ...process.env, ...settings },
  });
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`the consumer ended with ${code}`);
  });
  const answer = () => Promise.race([once(child, 'message').then(([report]) => report as LargeEventReport), ended]);
  await answer();
  let report: LargeEventReport = { idleBytes: 0, peakBytes: 0 };
  for (let start = 0; start < pieces.length; start += PIECES_PER_BATCH) {
    const answered = answer();
    child.send(pieces.slice(start, start + PIECES_PER_BATCH));
    report = await answered;
  }
  ended.catch(() => undefined);
  child.disconnect();
  return report;
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / MEBIBYTE)} MiB`;
}
