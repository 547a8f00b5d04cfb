import type { GoldenGateStream } from '../config.ts';
import { UnprocessableError } from '../ingest/reasons.ts';

export type GoldenGateOp = 'insert' | 'update' | 'delete' | 'upsert' | 'truncate' | 'ddl';

const OPERATIONS: Operations = new Map([
  ['I', 'insert'],
  ['INSERT', 'insert'],
  ['U', 'update'],
  ['UPDATE', 'update'],
  ['D', 'delete'],
  ['DELETE', 'delete'],
  ['UPSERT', 'upsert'],
  ['T', 'truncate'],
  ['TRUNCATE', 'truncate'],
  ['DDL', 'ddl'],
]);

/** The label of records without an operation, in the setting `operations`. */
const NO_LABEL = '';

/** What the labels of a stream stand for: its own, else the words and letters of both families. */
export type Operations = ReadonlyMap<string, GoldenGateOp>;

export function operationsOf(own: GoldenGateStream['operations']): Operations {
  return new Map([...OPERATIONS, ...Object.entries(own)]);
}

/** Throws UnprocessableError: `unknown-operation`, or `invalid-envelope` where there is no label. */
export function operationOf(label: string | null, operations: Operations): GoldenGateOp {
  const op = operations.get(label ?? NO_LABEL) ?? OPERATIONS.get((label ?? NO_LABEL).toUpperCase());
  if (op !== undefined) return op;
  if (label === null) throw new UnprocessableError('invalid-envelope', 'the record names no operation');
  throw new UnprocessableError('unknown-operation', `the operation ${JSON.stringify(label.slice(0, 40))} is not known`);
}
