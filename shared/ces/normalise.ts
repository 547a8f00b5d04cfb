import type { Image, NormalizedChange, Op } from '../change/change.ts';
import type { Columns, JsonValue } from '../change/json.ts';
import { unkeyedKey } from '../change/keys.ts';
import { type TokenRank, tokenOf } from '../change/tokens.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { type CesAttributes, inLightOfType } from './attributes.ts';
import { limitNesting } from './exactParse.ts';
import { type ImageNotes, readImage, withKey } from './images.ts';
import { areIdentical, type CesKey, keyOf, keyValues, sentKey } from './key.ts';
import type { CesEventSource, CesPayload } from './payload.ts';
import { type Epoch, epochChooser, positionOf } from './position.ts';
import { utcTime } from './sqlTimes.ts';
import { type CesTable, type TableShape, TableShapes } from './tableShape.ts';

/** What the settings say about a stream. */
export interface CesStreamFacts {
  readonly stream: string;
  readonly epochs: readonly Epoch[];
  /** New name of a renamed database -> the name that its tables keep. */
  readonly databases: { readonly [renamed: string]: string };
}

/** Where and when an event arrived, null where the hub did not say: for a split event, its last segment. */
export interface CesDelivery {
  readonly hub: string;
  readonly partition: string | null;
  readonly sequenceNumber: number | null;
  readonly offset: string | null;
  /** ISO 8601. */
  readonly enqueuedAt: string | null;
}

/** A change and what its event said about its table. */
export interface CesChange {
  readonly change: NormalizedChange;
  readonly table: CesTable;
}

/** What an operation of the source means. */
interface Operation {
  readonly op: Op;
  readonly image: Image;
  readonly rank: TokenRank;
}

const OPERATIONS = new Map<string, Operation>([
  ['INS', { op: 'insert', image: 'full', rank: 'full' }],
  ['UPD', { op: 'update', image: 'partial', rank: 'partial' }],
  ['DEL', { op: 'delete', image: 'none', rank: 'delete' }],
]);

/** Turns whole events of one stream into changes; one per stream, because it remembers the shapes of tables. */
export class CesNormaliser {
  readonly #stream: string;
  readonly #epochAt: (enqueuedAt: string | null) => string;
  readonly #shapes: TableShapes;

  constructor({ stream, epochs, databases }: CesStreamFacts) {
    this.#stream = stream;
    this.#epochAt = epochChooser(epochs);
    this.#shapes = new TableShapes(stream, databases);
  }

  /**
   * The change that an event describes. Throws UnprocessableError: `unknown-operation`, `no-order`, `invalid-envelope` or
   * `undecodable`, and `unsupported-type` in place of the last two where the event is of a later version.
   */
  normalise(attributes: CesAttributes, payload: CesPayload, delivery: CesDelivery): CesChange {
    const operation = OPERATIONS.get(attributes.operation);
    if (operation === undefined) {
      throw new UnprocessableError('unknown-operation', 'the operation is none of INS, UPD and DEL');
    }
    try {
      return this.#change(operation, attributes, payload, delivery);
    } catch (error) {
      throw inLightOfType(attributes.type, error);
    }
  }

  #change(operation: Operation, attributes: CesAttributes, payload: CesPayload, delivery: CesDelivery): CesChange {
    const { eventsource } = payload;
    const shape = this.#shapes.shapeOf(eventsource);
    const position = positionOf(attributes.logicalid, eventsource.transaction);
    const epoch = this.#epochAt(delivery.enqueuedAt);
    const identity = `ces/${this.#stream}/${epoch}/${attributes.logicalid}`;
    const notes: ImageNotes = { valueErrors: [], maybeTruncated: [] };
    const row = readRow(operation.op, payload, shape, notes);
    const change: NormalizedChange = {
      source: 'ces',
      stream: this.#stream,
      table: shape.table.table,
      identity,
      op: operation.op,
      image: operation.image,
      keys: row.key === null ? null : row.key.keys,
      key: row.key === null ? unkeyedKey(identity) : row.key.key,
      before: row.before,
      after: row.after,
      token: tokenOf(`${epoch}:${position.text}`, operation.rank),
      committedAt: utcTime(attributes.time),
      transaction: position.transaction,
      origin: originOf(attributes, eventsource, delivery, notes),
    };
    return { change: withExceptions(change, row), table: shape.table };
  }
}

interface Row {
  readonly key: CesKey | null;
  readonly movedFrom?: CesKey;
  readonly before: Columns | null;
  readonly after: Columns | null;
}

/** Members that few changes have. */
function withExceptions(change: NormalizedChange, { key, movedFrom }: Row): NormalizedChange {
  if (key === null) return { ...change, flag: 'no-key' };
  return movedFrom === undefined ? change : { ...change, movedFrom };
}

/**
 * Images and keys. What `pkkey` holds when an update changes the key is not documented, so a key column is taken from the
 * image where the image has it, and from `pkkey` otherwise; an update whose two keys then differ moves the row.
 */
function readRow(op: Op, payload: CesPayload, shape: TableShape, notes: ImageNotes): Row {
  const before = op === 'insert' || payload.old === null ? null : readImage(payload.old, shape, notes);
  const after = op === 'delete' || payload.current === null ? null : readImage(payload.current, shape, notes);
  if (op === 'insert' && after === null)
    throw new UnprocessableError('invalid-envelope', 'an INS without current: a row of no columns');
  if (shape.key.length === 0) return { key: null, before, after };
  const sent = sentKey(payload.eventsource.pkkey, shape, notes);
  const values = keyValues(op === 'delete' ? before : after, sent, shape);
  const key = keyOf(values, shape);
  if (op === 'insert') return { key, before: null, after: withKey(after ?? {}, key.keys) };
  if (op === 'delete') return { key, before: before && withKey(before, key.keys), after: null };
  const oldValues = keyValues(before, sent, shape);
  const old = areIdentical(oldValues, values) ? key : keyOf(oldValues, shape);
  const images = { before: before && withKey(before, old.keys), after: withKey(after ?? {}, key.keys) };
  return old.key === key.key ? { key, ...images } : { key, movedFrom: old, ...images };
}

function originOf(
  attributes: CesAttributes,
  { db, transaction }: CesEventSource,
  { hub, partition, sequenceNumber, offset, enqueuedAt }: CesDelivery,
  { valueErrors, maybeTruncated }: ImageNotes,
): { readonly [name: string]: JsonValue } {
  const origin: { [name: string]: JsonValue } = { ...attributes, db };
  if (transaction !== null) {
    limitNesting(transaction, 'eventsource.transaction');
    origin.transaction = transaction;
  }
  origin.hub = hub;
  origin.partition = partition;
  origin.sequenceNumber = sequenceNumber;
  origin.offset = offset;
  origin.enqueuedTime = enqueuedAt;
  if (valueErrors.length > 0) origin.valueErrors = valueErrors;
  if (maybeTruncated.length > 0) origin.maybeTruncated = maybeTruncated;
  return origin;
}
