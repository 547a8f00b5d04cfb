import type { Source } from '../../../shared/change/change.ts';
import type { RawRecord } from '../../../shared/ingest/delivery.ts';
import { Parking } from '../../../shared/ingest/parking.ts';
import { Pipeline } from '../../../shared/ingest/pipeline.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { RowWriter } from '../../../shared/ingest/rowWriter.ts';
import { Truncations } from '../../../shared/ingest/truncations.ts';
import { replayDeadLetters } from '../../../shared/operate/replay.ts';
import type { ReplayReport } from '../../../shared/operate/replayReport.ts';
import { replayersOf } from '../../../shared/replayers.ts';
import type { DeadLetterAddress, DeadLetterDocument } from '../../../shared/store/deadLetters.ts';
import type { TestStore } from '../testStore.ts';

/** Makes dead letters of records, as code did that could not read them yet. Returns where they are, in order. */
export async function bury(
  test: TestStore,
  source: Source,
  stream: string,
  records: readonly RawRecord[],
): Promise<DeadLetterAddress[]> {
  const pipeline = new Pipeline(await test.open(), test.config);
  const decoded = new UnprocessableError('undecodable', 'nobody could read it then');
  const outcomes = await pipeline.ingest(
    source,
    stream,
    records.map((record) => ({ ...record, decoded })),
  );
  return outcomes.flatMap((each) => (each.outcome === 'deadLettered' ? { stream, id: each.deadLetterId } : []));
}

let sequenceNumber = 0;

/** A message as a hub delivered it. */
export function hubMessage(bytes: Uint8Array): RawRecord {
  sequenceNumber++;
  const enqueuedAt = '2026-08-07T16:31:00.000Z';
  return {
    position: { hub: 'ces', partition: '0', sequenceNumber, offset: String(sequenceNumber), enqueuedAt },
    bytes,
  };
}

/** Replays in a process that has just started. */
export async function replay(
  test: TestStore,
  which: readonly DeadLetterAddress[] | 'all',
  { force = false, continuation = null as string | null, timeLimitMs = 60_000 } = {},
): Promise<ReplayReport> {
  const store = await test.open();
  const pipeline = new Pipeline(store, test.config);
  const parking = new Parking(store.parked, pipeline, test.config.parkedTimeoutMs);
  const rowWriter = new RowWriter(store.rows, test.config.tombstoneTtlSeconds);
  const truncations = new Truncations(store.catalog, store.truncations, rowWriter);
  const replayerOf = replayersOf({ config: test.config, store, pipeline, parking, truncations });
  const request = { which: which === 'all' ? { filter: {} } : { ids: which }, force, continuation };
  return replayDeadLetters({ deadLetters: store.deadLetters, replayerOf }, request, timeLimitMs);
}

export async function letters(test: TestStore): Promise<DeadLetterDocument[]> {
  return (await test.documents('deadletters')) as readonly object[] as DeadLetterDocument[];
}

/** The numbers of a report that are not 0. */
export function numbersOf(report: ReplayReport): Record<string, number> {
  const numbers = Object.entries(report).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Object.fromEntries(numbers.filter(([, value]) => value !== 0));
}
