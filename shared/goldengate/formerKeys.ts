import type { PendingChange } from '../ingest/arrival.ts';
import type { Arrivals } from '../ingest/arrivedBefore.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { ChangeMaker, TableKnowledge } from './dataChange.ts';
import type { DataRecord } from './record.ts';
import type { ReadRecord } from './stream.ts';

/** A data record, and what it was read from. */
export interface GatheredRecord {
  /** Its place among those that it came with. */
  readonly at: number;
  readonly record: ReadRecord;
  readonly data: DataRecord;
}

/** What a record is by what is known of its table: undefined where its key is not. */
export type Reading = PendingChange | UnprocessableError | undefined;

/**
 * `readings` of `records` by the newest metadata, except for those that were recorded when their tables had other keys:
 * these are read by the key that they have in `changes`. For that is where a change is found again, and when a frame that
 * changes a table's key comes twice, its records from before must not make other rows, which nothing would ever delete.
 * A record without all columns of the newest key may be one of them. Costs nothing while no table in `formerly` is among
 * them. Throws StoreUnavailableError.
 */
export async function asRecorded(
  records: readonly GatheredRecord[],
  readings: readonly Reading[],
  formerly: ReadonlyMap<string, readonly TableKnowledge[]>,
  maker: ChangeMaker,
  arrivals: Arrivals,
): Promise<readonly Reading[]> {
  if (formerly.size === 0) return readings;
  const candidates: { readonly index: number; readonly change: PendingChange }[] = [];
  const oldest = Math.max(...[...formerly.values()].map(({ length }) => length));
  // The oldest key comes first: of several that know a change, the latest is to stay.
  for (let age = oldest - 1; age >= 0; age--) {
    records.forEach(({ data, record }, index) => {
      const knowledge = formerly.get(maker.tableOf(data.name))?.[age];
      const change = knowledge === undefined ? undefined : readBy(knowledge, data, record, maker);
      if (change !== undefined && !isOfSameRows(change, readings[index])) candidates.push({ index, change });
    });
  }
  const areRecorded = await arrivals.areRecorded(candidates.map(({ change }) => change));
  const result = [...readings];
  candidates.forEach(({ index, change }, position) => {
    if (areRecorded[position]) result[index] = change;
  });
  return result;
}

function readBy(knowledge: TableKnowledge, data: DataRecord, { cloudEvent }: ReadRecord, maker: ChangeMaker) {
  try {
    return maker.change(data, knowledge, cloudEvent);
  } catch (error) {
    if (error instanceof UnprocessableError) return undefined;
    throw error;
  }
}

function isOfSameRows({ key, movedFrom }: PendingChange, now: Reading): boolean {
  if (now === undefined || now instanceof UnprocessableError) return false;
  return key === now.key && movedFrom?.key === now.movedFrom?.key;
}
