import type { Container } from '@azure/cosmos';
import type { Source } from '../change/change.ts';
import { isPointer } from '../change/largeValue.ts';
import type { Kept, ParkedRecord, ParkedStorage, Unplaced, Wait } from '../ingest/parkedStore.ts';
import { StoreUnavailableError, ValueGoneError } from './errors.ts';
import { inFlight } from './inFlight.ts';
import { withLargeValues } from './largeValues.ts';
import type { Operations } from './operations.ts';
import { type ArrivingSequence, OrderedCreates } from './orderedCreates.ts';
import { slicesOf } from './parkedSlices.ts';
import { Queries } from './queries.ts';
import type { Transactions } from './transactions.ts';
import type { ValueStore } from './valueStore.ts';

const NOT_FOUND = 404;
const EXISTS = 409;
const RECORDS_PER_QUERY = 200;
/** Records that one sweep looks at; the next sweep takes the rest. */
const OVERDUE_PER_SWEEP = 100;

/** The container `parked`: one logical partition per thing that is waited for, so that all who wait can be read in order. */
export class ParkedStore implements ParkedStorage {
  readonly #operations: Operations;
  readonly #creates: OrderedCreates<Unplaced>;
  readonly #queries: Queries;
  readonly #values: ValueStore;

  constructor(container: Container, operations: Operations, transactions: Transactions, values: ValueStore) {
    this.#operations = operations;
    this.#queries = new Queries(container);
    this.#creates = new OrderedCreates(transactions, this.#queries, placed);
    this.#values = values;
  }

  async keep(records: readonly Unplaced[]): Promise<Kept[]> {
    const sequences: ArrivingSequence<Unplaced>[] = [];
    await inFlight([...Map.groupBy(records, ({ waitingFor }) => waitingFor)], async ([partition, documents]) => {
      sequences.push({ partition, documents, after: await this.#newestArrival(partition) });
    });
    const results = await this.#creates.create(sequences);
    const kept = new Map<Unplaced, Kept>();
    sequences.forEach(({ documents }, position) => {
      documents.forEach((document, at) => {
        const result = results[position]?.[at];
        if (result !== undefined) kept.set(document, result);
      });
    });
    return records.map((record) => kept.get(record) ?? record);
  }

  async keepArrived(records: readonly Unplaced[]): Promise<Kept[]> {
    const operations = records.map((record) => {
      return { type: 'Create' as const, partitionKey: [record.waitingFor], id: record.id, document: placed(record) };
    });
    const results = await this.#operations.run(operations);
    return results.map(({ status }, index) => {
      const arrival = records[index]?.arrival ?? '';
      return status < 300 || status === EXISTS ? { arrival } : { arrival, rejected: status };
    });
  }

  async *waitingFor(waitingFor: string): AsyncGenerator<readonly ParkedRecord[]> {
    let place: string | undefined = '';
    while (place !== undefined) {
      const found: readonly ParkedRecord[] = await this.#firstOf(waitingFor, place);
      for (const slice of slicesOf(found, ({ bytes }) => charactersOf(bytes))) yield await this.#whole(slice);
      place = found.at(-1)?.place;
    }
  }

  /** As many as the service puts into one answer, which ends at 4 MB; none where there are no more. */
  async #firstOf(waitingFor: string, afterPlace: string): Promise<readonly ParkedRecord[]> {
    const query = {
      query: `SELECT * FROM c WHERE c.waitingFor = @waitingFor AND c.place > @after ORDER BY c.place
        OFFSET 0 LIMIT ${RECORDS_PER_QUERY}`,
      parameters: [
        { name: '@waitingFor', value: waitingFor },
        { name: '@after', value: afterPlace },
      ],
    };
    for await (const page of this.#queries.pages<ParkedRecord>(query, [waitingFor])) if (page.length > 0) return page;
    return [];
  }

  async remove(records: readonly Pick<ParkedRecord, 'id' | 'waitingFor'>[]): Promise<void> {
    const operations = records.map(({ id, waitingFor }) => {
      return { type: 'Delete' as const, partitionKey: [waitingFor], id };
    });
    const bad = (await this.#operations.run(operations)).find(({ status }) => status >= 300 && status !== NOT_FOUND);
    if (bad !== undefined)
      throw new StoreUnavailableError(`a parked record could not be removed: status ${bad.status}`);
  }

  async *parkedBefore(time: string): AsyncGenerator<readonly ParkedRecord[]> {
    const query = {
      query: `SELECT c.id, c.waitingFor, LENGTH(c.bytes) AS characters, c.bytes.bytes AS movedBytes FROM c
        WHERE c.parkedAt < @time ORDER BY c.place OFFSET 0 LIMIT ${OVERDUE_PER_SWEEP}`,
      parameters: [{ name: '@time', value: time }],
    };
    const overdue = await this.#queries.all<Overdue>(query);
    for (const slice of slicesOf(overdue, ({ characters, movedBytes }) => characters ?? movedBytes ?? 0)) {
      yield this.#read(slice);
    }
  }

  async waits(source: Source): Promise<Wait[]> {
    const query = {
      query: 'SELECT DISTINCT c.source, c.stream, c.waitingFor FROM c WHERE c.source = @source',
      parameters: [{ name: '@source', value: source }],
    };
    return this.#queries.all<Wait>(query);
  }

  /** How many records of a stream wait, and since when the oldest does. Throws StoreUnavailableError. */
  async waitingOf(
    source: Source,
    stream: string,
  ): Promise<{ readonly records: number; readonly oldest: string | null }> {
    const where = 'WHERE c.source = @source AND c.stream = @stream';
    const parameters = [
      { name: '@source', value: source },
      { name: '@stream', value: stream },
    ];
    const oldest = `SELECT VALUE c.parkedAt FROM c ${where} ORDER BY c.parkedAt OFFSET 0 LIMIT 1`;
    const [counts, firsts] = await Promise.all([
      this.#queries.all<number>({ query: `SELECT VALUE COUNT(1) FROM c ${where}`, parameters }),
      this.#queries.all<string>({ query: oldest, parameters }),
    ]);
    return { records: counts[0] ?? 0, oldest: firsts[0] ?? null };
  }

  /** Those of `records` that are still there. */
  async #read(records: readonly Pick<ParkedRecord, 'id' | 'waitingFor'>[]): Promise<readonly ParkedRecord[]> {
    const operations = records.map(({ id, waitingFor }) => ({ type: 'Read' as const, partitionKey: [waitingFor], id }));
    const results = await this.#operations.run(operations);
    const bad = results.find(({ status }) => status >= 300 && status !== NOT_FOUND);
    if (bad !== undefined) throw new StoreUnavailableError(`a parked record could not be read: status ${bad.status}`);
    return this.#whole(results.flatMap(({ status, document }) => (status < 300 ? (document as ParkedRecord) : [])));
  }

  /** Undefined when none waits. Clocks of instances differ: it may be ahead of this one's. */
  async #newestArrival(waitingFor: string): Promise<string | undefined> {
    const query = {
      query: 'SELECT VALUE c.arrival FROM c WHERE c.waitingFor = @waitingFor ORDER BY c.place DESC OFFSET 0 LIMIT 1',
      parameters: [{ name: '@waitingFor', value: waitingFor }],
    };
    return (await this.#queries.all<string>(query, [waitingFor]))[0];
  }

  async #whole(records: readonly ParkedRecord[]): Promise<ParkedRecord[]> {
    return Promise.all(
      records.map((record) =>
        withLargeValues(record, this.#values).catch((error: unknown) => {
          if (error instanceof ValueGoneError) return lost(record);
          throw error;
        }),
      ),
    );
  }
}

/** A record that has waited too long. Its `bytes` are a text, or a pointer to one that was moved. */
interface Overdue extends Pick<ParkedRecord, 'id' | 'waitingFor'> {
  readonly characters?: number;
  readonly movedBytes?: number;
}

/** Of base64 text, or of a pointer to one that was moved: a character of it is a byte. */
function charactersOf(bytes: unknown): number {
  if (isPointer(bytes)) return bytes.bytes;
  return typeof bytes === 'string' ? bytes.length : 0;
}

/** One whose large value is gone must not keep the others from being read. */
function lost(stored: ParkedRecord): ParkedRecord {
  const bytes: unknown = stored.bytes;
  const kept = typeof bytes === 'string' ? bytes : Buffer.from(JSON.stringify(bytes)).toString('base64');
  return { ...stored, bytes: kept, isLost: true };
}

function placed(record: Unplaced): ParkedRecord {
  return { ...record, place: `${record.arrival} ${record.id}` };
}
