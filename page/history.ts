import type { Change, JsonValue } from './contract.ts';

/** What a change did to one column. `set`: it carries the value, and nobody knows what was there before. */
export interface CellChange {
  readonly column: string;
  readonly kind: 'added' | 'changed' | 'removed' | 'set' | 'same';
  readonly before: JsonValue | undefined;
  readonly after: JsonValue | undefined;
}

export interface Step {
  readonly change: Change;
  readonly cells: readonly CellChange[];
}

/**
 * The changes of one row, newest first, each with what it did to the columns. What a change does not say about the time
 * before it comes from the changes before it; of a first change that is not an insert, that stays unknown.
 */
export function steps(newestFirst: readonly Change[]): Step[] {
  const known = new Map<string, JsonValue>();
  let isComplete = false;
  const oldestFirst = newestFirst.toReversed().map((change) => {
    isComplete ||= change.op === 'insert' || change.image === 'full';
    return { change, cells: apply(known, change, isComplete) };
  });
  return oldestFirst.reverse();
}

/** Applies `change` to the columns known so far and says what it did. `isComplete`: a column not known was not there. */
function apply(known: Map<string, JsonValue>, change: Change, isComplete: boolean): CellChange[] {
  for (const [column, value] of Object.entries(change.before ?? {})) known.set(column, value);
  const after = new Map(Object.entries(change.after ?? {}));
  const cells: CellChange[] = [];
  const isGone = change.op === 'delete' || change.movedTo !== undefined;
  if (isGone || change.image === 'full') {
    for (const [column, before] of [...known]) {
      if (!isGone && after.has(column)) continue;
      cells.push({ column, kind: 'removed', before, after: undefined });
      known.delete(column);
    }
  }
  if (isGone) return cells;
  for (const [column, value] of after) {
    const before = known.get(column);
    cells.push({ column, kind: kindOf(before, value, isComplete), before, after: value });
    known.set(column, value);
  }
  return cells;
}

function kindOf(before: JsonValue | undefined, after: JsonValue, isComplete: boolean): CellChange['kind'] {
  if (before === undefined) return isComplete ? 'added' : 'set';
  return JSON.stringify(before) === JSON.stringify(after) ? 'same' : 'changed';
}
