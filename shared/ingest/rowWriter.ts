import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../change/change.ts';
import type { RowChange } from '../change/effect.ts';
import { mergeInto } from '../change/merge.ts';
import { applyTo, documentOf, fromDocument, unseen } from '../change/rowDocument.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import { backoffMs } from '../store/operations.ts';
import type { RowAddress, RowStore, RowWrite, StoredRow } from '../store/rows.ts';
import { rowName } from './rowName.ts';
import type { TableFloors } from './tableFloors.ts';

/** Rows as they were read, by `rowName`; undefined for a row that was not there. */
export type RowsRead = ReadonlyMap<string, StoredRow | undefined>;

export interface MergeOptions {
  readonly floors?: TableFloors | undefined;
  /** Rows that need not be read again: whoever wrote them since, the condition of the write finds out. */
  readonly read?: RowsRead | undefined;
}

const NO_FLOORS: TableFloors = new Map();
const NOTHING_READ: RowsRead = new Map();

/** What became of one change of one row. `unchanged`: the row already held it, or something newer. */
export type RowOutcome = 'applied' | 'unchanged' | { readonly rejected: number };

/** Rounds of read, merge and conditional write that a row gets before its batch has to come again. */
const MAX_ROUNDS = 50;

interface Group {
  readonly name: string;
  readonly table: string;
  readonly id: string;
  /** Positions in the batch of the changes of this row. */
  readonly indexes: number[];
  /** `updatedAt` of the document that was last sent for this row; undefined before that. */
  sentAt: string | undefined;
}

/**
 * Merges changes into their rows: the rows of a batch are read together, merged in memory, and written once each,
 * however many changes they got, on condition that nobody wrote them in between; those that somebody did write go
 * round again. Rows are independent, so nothing is atomic across them and nothing has to be.
 */
export class RowWriter {
  readonly #rows: RowStore;
  readonly #tombstoneTtlSeconds: number;

  constructor(rows: RowStore, tombstoneTtlSeconds: number) {
    this.#rows = rows;
    this.#tombstoneTtlSeconds = tombstoneTtlSeconds;
  }

  /** Reads each of `rows` once. Throws StoreUnavailableError. */
  async read(rows: Iterable<RowAddress>): Promise<RowsRead> {
    const addresses = new Map<string, RowAddress>();
    for (const row of rows) addresses.set(rowName(row.table, row.id), row);
    const stored = await this.#rows.read([...addresses.values()]);
    return new Map([...addresses.keys()].map((name, position) => [name, stored[position]]));
  }

  /** Outcomes stand in the order of `changes`. Throws StoreUnavailableError. */
  async apply(
    source: Source,
    stream: string,
    changes: readonly RowChange[],
    { floors = NO_FLOORS, read = NOTHING_READ }: MergeOptions = {},
  ): Promise<RowOutcome[]> {
    const outcomes = new Array<RowOutcome>(changes.length).fill('unchanged');
    let pending = groupByRow(changes);
    for (let round = 0; pending.length > 0; round++) {
      if (round === MAX_ROUNDS) {
        throw new StoreUnavailableError(`${pending.length} rows were written by others ${MAX_ROUNDS} times in a row`);
      }
      if (round > 0) await delay(backoffMs(round));
      const stored = await this.#storedRows(pending, round === 0 ? read : NOTHING_READ);
      pending = await this.#round({ source, stream }, changes, pending, stored, outcomes, floors);
    }
    return outcomes;
  }

  async #storedRows(groups: readonly Group[], read: RowsRead): Promise<RowsRead> {
    const missing = groups.filter(({ name }) => !read.has(name));
    return missing.length === 0 ? read : new Map([...read, ...(await this.read(missing))]);
  }

  /** One merge and write of each row in `groups`. Returns the rows that have to go round again. */
  async #round(
    origin: { source: Source; stream: string },
    changes: readonly RowChange[],
    groups: readonly Group[],
    stored: RowsRead,
    outcomes: RowOutcome[],
    floors: TableFloors,
  ): Promise<Group[]> {
    const updatedAt = new Date().toISOString();
    const writes: RowWrite[] = [];
    const written: Group[] = [];
    for (const group of groups) {
      const before = stored.get(group.name);
      const told = group.sentAt === undefined ? undefined : group.indexes.map((index) => outcomes[index]);
      const row = mergeGroup(before, changes, group, outcomes, floors.get(group.table));
      if (row === undefined) {
        // The row is as it was sent in the round before: that got through, and only its answer was lost.
        const isOwn = before !== undefined && before.document.updatedAt === group.sentAt;
        if (isOwn) for (const [at, index] of group.indexes.entries()) outcomes[index] = told?.[at] ?? 'unchanged';
        continue;
      }
      const header = { ...origin, table: group.table, id: group.id };
      writes.push({ document: documentOf(header, row, updatedAt, this.#tombstoneTtlSeconds), etag: before?.etag });
      group.sentAt = updatedAt;
      written.push(group);
    }
    const again: Group[] = [];
    (await this.#rows.write(writes)).forEach((result, position) => {
      const group = written[position];
      if (group === undefined || result === 'written') return;
      if (result === 'conflict') again.push(group);
      else for (const index of group.indexes) outcomes[index] = result;
    });
    return again;
  }
}

/** The merged row, or undefined when none of the group's changes changed it. Notes each change's outcome. */
function mergeGroup(
  stored: StoredRow | undefined,
  changes: readonly RowChange[],
  group: Group,
  outcomes: RowOutcome[],
  floor: string | undefined,
) {
  let row = stored === undefined ? undefined : fromDocument(stored.document);
  let changed = false;
  for (const index of group.indexes) {
    const change = changes[index];
    if (change === undefined) continue;
    row ??= unseen(change.keys);
    // Whatever else the row has seen: a delete at the floor leaves of it what is newer.
    if (floor !== undefined) mergeInto(row.state, { kind: 'delete', token: floor });
    const applied = applyTo(row, change);
    outcomes[index] = applied ? 'applied' : 'unchanged';
    changed ||= applied;
  }
  return changed ? row : undefined;
}

function groupByRow(changes: readonly RowChange[]): Group[] {
  const groups = new Map<string, Group>();
  changes.forEach(({ table, id }, index) => {
    const name = rowName(table, id);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { name, table, id, indexes: [index], sentAt: undefined });
    else group.indexes.push(index);
  });
  return [...groups.values()];
}
