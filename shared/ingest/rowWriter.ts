import { setTimeout as delay } from 'node:timers/promises';
import type { Source } from '../change/change.ts';
import type { RowChange } from '../change/effect.ts';
import { mergeInto } from '../change/merge.ts';
import { applyTo, documentOf, fromDocument, unseen } from '../change/rowDocument.ts';
import { StoreUnavailableError } from '../store/errors.ts';
import { backoffMs } from '../store/operations.ts';
import type { RowStore, RowWrite, StoredRow } from '../store/rows.ts';
import type { TableFloors } from './tableFloors.ts';

const NO_FLOORS: TableFloors = new Map();

/** What became of one change of one row. `unchanged`: the row already held it, or something newer. */
export type RowOutcome = 'applied' | 'unchanged' | { readonly rejected: number };

/** Rounds of read, merge and conditional write that a row gets before its batch has to come again. */
const MAX_ROUNDS = 50;

interface Group {
  readonly table: string;
  readonly id: string;
  /** Positions in the batch of the changes of this row. */
  readonly indexes: number[];
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

  /** Outcomes stand in the order of `changes`. Throws StoreUnavailableError. */
  async apply(
    source: Source,
    stream: string,
    changes: readonly RowChange[],
    floors: TableFloors = NO_FLOORS,
  ): Promise<RowOutcome[]> {
    const outcomes = new Array<RowOutcome>(changes.length).fill('unchanged');
    let pending = groupByRow(changes);
    for (let round = 0; pending.length > 0; round++) {
      if (round === MAX_ROUNDS) {
        throw new StoreUnavailableError(`${pending.length} rows were written by others ${MAX_ROUNDS} times in a row`);
      }
      if (round > 0) await delay(backoffMs(round));
      pending = await this.#round({ source, stream }, changes, pending, outcomes, floors);
    }
    return outcomes;
  }

  /** One read, merge and write of each row in `groups`. Returns the rows that have to go round again. */
  async #round(
    origin: { source: Source; stream: string },
    changes: readonly RowChange[],
    groups: readonly Group[],
    outcomes: RowOutcome[],
    floors: TableFloors,
  ): Promise<Group[]> {
    const stored = await this.#rows.read(groups);
    const updatedAt = new Date().toISOString();
    const writes: RowWrite[] = [];
    const written: Group[] = [];
    groups.forEach((group, position) => {
      const before = stored[position];
      const row = mergeGroup(before, changes, group, outcomes, floors.get(group.table));
      if (row === undefined) return;
      const header = { ...origin, table: group.table, id: group.id };
      writes.push({ document: documentOf(header, row, updatedAt, this.#tombstoneTtlSeconds), etag: before?.etag });
      written.push(group);
    });
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
    const name = `${table}\n${id}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, { table, id, indexes: [index] });
    else group.indexes.push(index);
  });
  return [...groups.values()];
}
