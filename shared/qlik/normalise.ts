import type { Image as ImageKind, NormalizedChange, RowKey, Transaction } from '../change/change.ts';
import { type Columns, canonicalJson, type JsonValue } from '../change/json.ts';
import { unkeyedKey } from '../change/keys.ts';
import { type TokenRank, tokenOf } from '../change/tokens.ts';
import type { PendingChange } from '../ingest/arrival.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type ColumnMasks, masksOf } from './columnMasks.ts';
import { type Image, type ImageNotes, readImage } from './images.ts';
import { haveOneKey, keyOf } from './keys.ts';
import { isMarked } from './masks.ts';
import type { DataMessage, JsonObject, Operation } from './message.ts';
import { opOf } from './operations.ts';
import { utcTime } from './times.ts';
import type { VersionPlan } from './versionPlan.ts';

/** What is known about the table of a message when the message is read. */
export interface TableFacts {
  /** `<schema>.<table>`. */
  readonly name: string;
  readonly plan: VersionPlan | null;
  /** The key columns in key order; null for a table whose metadata says that it has none. */
  readonly key: readonly string[] | null;
}

/** Where a change stands: a change that was captured by its `changeSequence`, a row of a full load by its load. */
export type Place =
  | { readonly kind: 'captured'; readonly sequence: string }
  | {
      readonly kind: 'load';
      readonly load: number;
      /** The greatest `changeSequence` that the stream had shown when the load began. */
      readonly base: string;
    };

/**
 * The change that `message` tells of. A row of a load overwrites every change up to the base of the load, and of several
 * rows at one base the one that arrived last counts: its token still lacks the arrival. Throws UnprocessableError:
 * `invalid-envelope` or `no-key`. Takes the message over.
 */
export function normalise(
  stream: string,
  message: DataMessage,
  operation: Operation,
  facts: TableFacts,
  place: Place,
): NormalizedChange | PendingChange {
  const masks = masksOf(message, facts.plan);
  const notes: ImageNotes = { valueErrors: [] };
  const row = readRow(message, operation, facts, masks, notes);
  const table = `qlik/${stream}/${facts.name}`;
  const identity = identityOf(stream, operation, facts.name, row, place);
  const rank = RANKS[row.image];
  const change = {
    source: 'qlik' as const,
    stream,
    table,
    identity,
    op: opOf(operation),
    image: row.image,
    keys: row.key === null ? null : row.key.keys,
    key: row.key === null ? unkeyedKey(identity) : row.key.key,
    before: row.before,
    after: row.after,
    token: place.kind === 'captured' ? tokenOf(place.sequence, rank) : '',
    committedAt: utcTime(message.headers.timestamp),
    transaction: transactionOf(message.headers),
    origin: originOf(message, facts, masks, row, notes),
  };
  const whole = row.key === null || row.movedFrom !== null ? withExceptions(change, row) : change;
  if (place.kind === 'captured') return whole;
  const { token: _, ...pending } = whole;
  return { ...pending, order: { prefix: place.base, rank } };
}

/** Members that few changes have. */
function withExceptions(change: NormalizedChange, { key, movedFrom }: Row): NormalizedChange {
  if (key === null) return { ...change, flag: 'no-key' };
  return movedFrom === null ? change : { ...change, movedFrom };
}

function identityOf(stream: string, operation: Operation, table: string, row: Row, place: Place): string {
  const key = row.key === null ? canonicalJson(row.after ?? row.before ?? {}) : row.key.key;
  if (place.kind === 'captured') return `qlik/${stream}/${place.sequence}/${operation}/${table}/${key}`;
  return `qlik/${stream}/load ${place.load}/${table}/${key}/${canonicalJson(row.after ?? {})}`;
}

const RANKS: { readonly [image in ImageKind]: TokenRank } = { full: 'full', partial: 'partial', none: 'delete' };

interface Row {
  readonly key: RowKey | null;
  readonly movedFrom: RowKey | null;
  /** Whether the key changed and nothing says what it was. */
  readonly oldKeyUnknown: boolean;
  readonly image: ImageKind;
  readonly before: Columns | null;
  readonly after: Columns | null;
}

function readRow(
  message: DataMessage,
  operation: Operation,
  { key: names, plan }: TableFacts,
  masks: ColumnMasks,
  notes: ImageNotes,
): Row {
  const context = { operation, form: message.form, notes };
  const read = (row: Columns | null): Image | null => row && readImage(row, plan, masks, context);
  const data = read(message.data);
  const old = read(message.beforeData);
  if (operation === 'DELETE') {
    const images = [data, old].filter((image) => image !== null);
    if (images.length === 0)
      throw new UnprocessableError('invalid-envelope', 'a DELETE has neither data nor beforeData');
    const key = names && requiredKey(images, names, plan);
    const before = { ...old?.columns, ...data?.columns };
    return { key, movedFrom: null, oldKeyUnknown: false, image: 'none', before, after: null };
  }
  if (data === null) throw new UnprocessableError('invalid-envelope', `a message with ${operation} has no data`);
  const after = data.columns;
  if (operation !== 'UPDATE') {
    const key = names && requiredKey([data], names, plan);
    return {
      key,
      movedFrom: null,
      oldKeyUnknown: false,
      image: data.isWhole ? 'full' : 'partial',
      before: null,
      after,
    };
  }
  const key = names && requiredKey(old === null ? [data] : [data, old], names, plan);
  const mayMove = names !== null && old !== null && !haveOneKey(old.columns, after, names);
  const oldKey = (mayMove ? keyOf(old.columns, names, plan) : undefined) ?? key;
  return {
    key,
    movedFrom: key === null || oldKey === null || oldKey.key === key.key ? null : oldKey,
    oldKeyUnknown: old === null && isKeyMarked(names ?? [], masks),
    image: 'partial',
    before: old?.columns ?? null,
    after,
  };
}

/** The key from the first of `images` that has it. */
function requiredKey(images: readonly Image[], names: readonly string[], plan: VersionPlan | null): RowKey {
  for (const { columns } of images) {
    const key = keyOf(columns, names, plan);
    if (key !== undefined) return key;
  }
  throw new UnprocessableError('no-key', 'the message lacks a column of its table’s key');
}

function isKeyMarked(names: readonly string[], { changeMask, ordinalOf }: ColumnMasks): boolean {
  if (changeMask === undefined) return false;
  return names.some((name) => {
    const ordinal = ordinalOf(name);
    return ordinal !== undefined && isMarked(changeMask, ordinal);
  });
}

function transactionOf(headers: JsonObject): Transaction | null {
  const { transactionId, transactionEventCounter, transactionLastEvent } = headers;
  if (typeof transactionId !== 'string' || transactionId === '') return null;
  return {
    id: transactionId,
    sequence: typeof transactionEventCounter === 'number' ? transactionEventCounter : null,
    last: typeof transactionLastEvent === 'boolean' ? transactionLastEvent : null,
  };
}

function originOf(
  { headers, schemaId, form, nullTexts = [] }: DataMessage,
  { plan }: TableFacts,
  masks: ColumnMasks,
  { oldKeyUnknown }: Row,
  { valueErrors }: ImageNotes,
): { readonly [name: string]: JsonValue } {
  const origin: { [name: string]: JsonValue } = { ...headers, messageSchemaId: schemaId };
  if (plan === null) origin.metadata = 'none';
  if (form === 'attunity') origin.form = form;
  if (masks.isInferred && (masks.columnMask ?? masks.changeMask) !== undefined) origin.ordinals = 'inferred';
  if (masks.ignored.length > 0) origin.ignoredMasks = masks.ignored;
  if (oldKeyUnknown) origin.oldKeyUnknown = true;
  if (valueErrors.length > 0) origin.valueErrors = valueErrors;
  if (nullTexts.length > 0) origin.nullTexts = nullTexts;
  return origin;
}
