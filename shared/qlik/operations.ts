import type { Op } from '../change/change.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { JsonObject, Operation } from './message.ts';

const OPS: { readonly [operation in Operation]: Op } = {
  REFRESH: 'snapshot',
  INSERT: 'insert',
  UPDATE: 'update',
  DELETE: 'delete',
};

/** The operation that the headers name, in any case. Throws UnprocessableError (`unknown-operation`). */
export function readOperation(headers: JsonObject): Operation {
  const name = typeof headers.operation === 'string' ? headers.operation.toUpperCase() : '';
  if (!isOperation(name)) {
    throw new UnprocessableError('unknown-operation', 'the operation is none of REFRESH, INSERT, UPDATE and DELETE');
  }
  return name;
}

/** The operation in our words. */
export function opOf(operation: Operation): Op {
  return OPS[operation];
}

function isOperation(name: string): name is Operation {
  return Object.hasOwn(OPS, name);
}
