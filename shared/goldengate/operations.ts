import type { GoldenGateStream } from '../config.ts';
import { UnprocessableError } from '../ingest/reasons.ts';

export type GoldenGateOp = 'insert' | 'update' | 'delete' | 'upsert' | 'truncate' | 'ddl';

const OPERATIONS: ReadonlyMap<string, GoldenGateOp> = new Map([
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

/**
 * What `label` stands for: by the stream's own labels, else by the words and letters of both families.
 * Throws UnprocessableError: `unknown-operation`, or `invalid-envelope` where there is no label.
 */
export function operationOf(label: string | null, own: GoldenGateStream['operations']): GoldenGateOp {
  const sent = label ?? NO_LABEL;
  const configured = Object.hasOwn(own, sent) ? own[sent] : undefined;
  const op = configured ?? OPERATIONS.get(sent) ?? OPERATIONS.get(sent.toUpperCase());
  if (op !== undefined) return op;
  if (label === null) throw new UnprocessableError('invalid-envelope', 'the record names no operation');
  throw new UnprocessableError('unknown-operation', `the operation ${JSON.stringify(label.slice(0, 40))} is not known`);
}
