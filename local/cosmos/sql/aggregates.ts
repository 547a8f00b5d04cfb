import type { Json } from '../json.ts';
import { compareForOrder } from './compare.ts';

/** A running aggregate over the rows of one group. */
export interface Aggregate {
  add(value: Json | undefined): void;
  result(): Json | undefined;
}

/**
 * The aggregates of the query language. Undefined values are passed over; SUM and AVG are undefined as soon as one
 * value is no number, MIN and MAX as soon as one is an array or object.
 */
export const AGGREGATES: ReadonlyMap<string, () => Aggregate> = new Map<string, () => Aggregate>([
  ['COUNT', count],
  ['SUM', () => total((sum) => sum)],
  ['AVG', () => total((sum, values) => (values === 0 ? undefined : sum / values))],
  ['MIN', () => extreme(-1)],
  ['MAX', () => extreme(1)],
]);

function count(): Aggregate {
  let values = 0;
  return {
    add: (value) => {
      if (value !== undefined) values += 1;
    },
    result: () => values,
  };
}

function total(finish: (sum: number, values: number) => number | undefined): Aggregate {
  let sum = 0;
  let values = 0;
  let valid = true;
  return {
    add: (value) => {
      if (value === undefined) return;
      if (typeof value === 'number') sum += value;
      else valid = false;
      values += 1;
    },
    result: () => (valid ? finish(sum, values) : undefined),
  };
}

function extreme(direction: 1 | -1): Aggregate {
  let best: Json | undefined;
  let valid = true;
  return {
    add: (value) => {
      if (value === undefined) return;
      if (typeof value === 'object' && value !== null) valid = false;
      if (best === undefined || compareForOrder(value, best) * direction > 0) best = value;
    },
    result: () => (valid ? best : undefined),
  };
}
