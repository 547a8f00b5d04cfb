import type { Columns } from '../change/json.ts';
import { isMarked, readMask, reversedBytes } from './masks.ts';
import type { DataMessage } from './message.ts';
import type { VersionPlan } from './versionPlan.ts';

/** What the masks of one message say, and what had to be made of them. */
export interface ColumnMasks {
  /** The ordinal of a column; undefined for one that the masks do not cover. */
  readonly ordinalOf: (column: string) => number | undefined;
  /** Which columns the message has; undefined where it does not say, or what it says cannot be true. */
  readonly columnMask: string | undefined;
  /** Which columns changed; likewise. */
  readonly changeMask: string | undefined;
  /** Whether ordinals were taken from the order of the columns, for want of metadata. */
  readonly isInferred: boolean;
  /** Whether `columnMask` says that every column is there. */
  readonly isComplete: boolean;
  /** Names of the headers whose mask was not used. */
  readonly ignored: readonly string[];
}

const NONE: readonly string[] = [];

const INTEGER_NAME = /^(?:0|[1-9]\d*)$/;

/** Reads the masks of `message` and checks them against its columns. */
export function masksOf(message: DataMessage, plan: VersionPlan | null): ColumnMasks {
  const { headers, form } = message;
  const columnMask = readMask(headers.columnMask);
  const changeMask = readMask(headers.changeMask);
  const isComplete = plan !== null && columnMask !== undefined && plan.marksAll(columnMask);
  const image = message.data ?? message.beforeData ?? {};
  const ordinalOf = plan === null ? inferredOrdinals(image) : plan.ordinalOf;
  const ignored = ignoredMasks(message, columnMask, changeMask);
  const masks = { ordinalOf, columnMask, changeMask, isInferred: plan === null, isComplete, ignored };
  if (columnMask === undefined || isComplete || agrees(columnMask, image, ordinalOf)) return masks;
  const reversed = form === 'avro' ? reversedBytes(columnMask) : undefined;
  if (reversed !== undefined && agrees(reversed, image, ordinalOf)) {
    return { ...masks, columnMask: reversed, changeMask: changeMask && reversedBytes(changeMask) };
  }
  // Both count by the same ordinals: what makes one wrong makes the other doubtful.
  const doubtful = changeMask === undefined ? ['columnMask'] : ['columnMask', 'changeMask'];
  return { ...masks, columnMask: undefined, changeMask: undefined, ignored: [...ignored, ...doubtful] };
}

/** The headers that hold something else than a mask. */
function ignoredMasks({ headers }: DataMessage, columnMask: string | undefined, changeMask: string | undefined) {
  const isBadColumnMask = columnMask === undefined && isSent(headers.columnMask);
  const isBadChangeMask = changeMask === undefined && isSent(headers.changeMask);
  if (!isBadColumnMask && !isBadChangeMask) return NONE;
  return [...(isBadColumnMask ? ['columnMask'] : NONE), ...(isBadChangeMask ? ['changeMask'] : NONE)];
}

/** Whether every column that has a value is marked as being there. */
function agrees(mask: string, image: Columns, ordinalOf: ColumnMasks['ordinalOf']): boolean {
  for (const column in image) {
    if (image[column] === null) continue;
    const ordinal = ordinalOf(column);
    if (ordinal !== undefined && !isMarked(mask, ordinal)) return false;
  }
  return true;
}

/** In every message that anybody has published, columns stand in the order of their ordinals. */
function inferredOrdinals(image: Columns): ColumnMasks['ordinalOf'] {
  let ordinals: Map<string, number> | undefined;
  return (column) => {
    if (ordinals === undefined) {
      const names = Object.keys(image);
      // Names that look like array indexes lose their place when JSON is read.
      ordinals = new Map(INTEGER_NAME.test(names[0] ?? '') ? [] : names.map((name, index) => [name, index + 1]));
    }
    return ordinals.get(column);
  };
}

function isSent(mask: unknown): boolean {
  return mask !== undefined && mask !== null && mask !== '';
}
