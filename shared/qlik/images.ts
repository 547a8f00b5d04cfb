import type { Columns, JsonValue } from '../change/json.ts';
import type { ColumnMasks } from './columnMasks.ts';
import { isMarked } from './masks.ts';
import type { DataMessage, Operation } from './message.ts';
import type { PlannedColumn, VersionPlan } from './versionPlan.ts';

/** Columns about which the reader of a change should know something. */
export interface ImageNotes {
  /** Columns whose value is not of their type and was kept as sent. */
  readonly valueErrors: string[];
}

/** The message that an image stands in. */
export interface ImageContext {
  readonly operation: Operation;
  readonly form: DataMessage['form'];
  readonly notes: ImageNotes;
}

export interface Image {
  readonly columns: Columns;
  /** Whether no column had to be left out as unknown. */
  readonly isWhole: boolean;
}

/**
 * The columns of `row` that the message really tells of, as exact values by their types. A null is left out where it means
 * that the column could not be captured: where `columnMask` says so, and for a large object in an update without any
 * such mask, since updates carry null for those that they did not touch. Takes `row` over: values are replaced in place.
 */
export function readImage(
  row: Columns,
  plan: VersionPlan | null,
  masks: ColumnMasks,
  { operation, form, notes }: ImageContext,
): Image {
  const columns: { [column: string]: JsonValue } = row;
  if (plan !== null) readTypes(columns, plan.typedIn(form), notes);
  // What every mask of a table with full logging says. Nulls are values then.
  if (masks.isComplete) return { columns, isWhole: true };
  const entries = Object.entries(columns);
  const known = entries.filter(([name, value]) => {
    const isUpdatedLob = operation === 'UPDATE' && plan?.columns.get(name)?.type.isLob === true;
    return value !== null || !isUnknown(name, masks, isUpdatedLob);
  });
  if (known.length === entries.length) return { columns, isWhole: true };
  return { columns: Object.fromEntries(known), isWhole: false };
}

function readTypes(columns: { [column: string]: JsonValue }, typed: readonly PlannedColumn[], notes: ImageNotes): void {
  for (const { name, type } of typed) {
    const sent = columns[name];
    if (sent === null || sent === undefined || !Object.hasOwn(columns, name)) continue;
    const value = type.read(sent);
    if (value === undefined) note(notes.valueErrors, name);
    // The member is there already, so that even one called `__proto__` is set and not taken for the prototype.
    else if (value !== sent) columns[name] = value;
  }
}

/** Whether the null of a column means that nothing is known of it. */
function isUnknown(name: string, { columnMask, ordinalOf }: ColumnMasks, isUpdatedLob: boolean): boolean {
  const ordinal = columnMask === undefined ? undefined : ordinalOf(name);
  if (columnMask === undefined || ordinal === undefined) return isUpdatedLob;
  return !isMarked(columnMask, ordinal);
}

/** Both images of a change may have something to say about one column. */
function note(names: string[], name: string): void {
  if (!names.includes(name)) names.push(name);
}
