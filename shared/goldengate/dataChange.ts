import { createHash } from 'node:crypto';
import type { RowKey } from '../change/change.ts';
import { type Columns, canonicalJson, type JsonValue } from '../change/json.ts';
import { unkeyedKey } from '../change/keys.ts';
import type { GoldenGateStream } from '../config.ts';
import type { PendingChange } from '../ingest/arrival.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { ambiguousTable, divideByColumns } from './columnsLikeFields.ts';
import { declaredColumns } from './declaredColumns.ts';
import type { DividedRecord } from './dividedRecord.ts';
import { type FieldNames, fieldNames } from './fieldNames.ts';
import type { Header } from './header.ts';
import { type Images, readImages } from './images.ts';
import { isObject, type JsonObject, member, setMember, textMember, textOf } from './members.ts';
import { isMissing } from './missing.ts';
import { type OpTime, OpTimeReader } from './opTime.ts';
import type { DataRecord } from './record.ts';
import { type KeyColumn, keyIn, listedKey } from './rowKey.ts';
import { type TableTraits, TableTraitsCache } from './tableTraits.ts';

/** What is known of a table when one of its records is read. */
export interface TableKnowledge {
  /** The key by the table's metadata; undefined where there is none. */
  readonly key: readonly KeyColumn[] | undefined;
  /** All columns by the metadata; empty where there is none. */
  readonly columns: readonly string[];
  /** What the table's schema declares: column -> JSON type. */
  readonly types: { readonly [column: string]: string };
}

const DATA_STREAM_POSITION = 'G-';

/** Makes changes of the data records of one stream. Pure: everything it needs to know is in its arguments. */
export class ChangeMaker {
  readonly fields: FieldNames;
  readonly #stream: string;
  /** What the identity of every change of the stream starts with. */
  readonly #identityStart: string;
  readonly #settings: GoldenGateStream;
  readonly #times: OpTimeReader;
  readonly #tables: TableTraitsCache;

  constructor(stream: string, settings: GoldenGateStream) {
    this.fields = fieldNames(settings.fields);
    this.#stream = stream;
    this.#identityStart = `goldengate\n${stream}`;
    this.#settings = settings;
    this.#times = new OpTimeReader(settings.timeZone);
    this.#tables = new TableTraitsCache((name, knowledge) => this.#traitsOf(name, knowledge));
  }

  /** `goldengate/<stream>/<qualified name>`. */
  tableOf(name: string): string {
    return `goldengate/${this.#stream}/${name}`;
  }

  /**
   * The change that a record is; undefined when nothing tells its table's key, so that it has to wait. `cloudEvent`:
   * the attributes of the event that it came in. Throws UnprocessableError.
   */
  change(data: DataRecord, knowledge: TableKnowledge, cloudEvent: JsonObject | null): PendingChange | undefined {
    const { record, op } = data;
    const traits = this.#tables.of(data.name, knowledge);
    const divided = this.#divided(data, traits);
    const key = isOfRow(op) ? this.#key(data.name, divided, knowledge) : null;
    if (key === undefined) return undefined;
    const images =
      key === null
        ? { ...divided, before: null, after: null, origin: record }
        : this.#filled(readImages(divided, this.fields, op), divided, op, traits.columns, key);
    const opTime = this.#opTime(images);
    const identity = this.#identity(data, traits);
    const transaction = this.#transaction(images);
    const half = key === null ? tableHalf(identity) : rowHalf(op, key, images);
    const change: PendingChange = {
      source: 'goldengate',
      stream: this.#stream,
      table: traits.table,
      identity,
      op,
      image: half.image,
      keys: half.keys,
      key: half.key,
      before: images.before,
      after: images.after,
      order: { prefix: this.#prefix(opTime), rank: half.image === 'partial' ? 'partial' : 'delete' },
      committedAt: opTime?.iso ?? null,
      transaction: transaction === null ? null : { id: transaction, sequence: null, last: null },
      origin: cloudEvent === null ? images.origin : { ...images.origin, cloudEvent },
    };
    return half.movedFrom === undefined ? change : { ...change, movedFrom: half.movedFrom };
  }

  #key(name: string, { origin }: DividedRecord, { key, types }: TableKnowledge): readonly KeyColumn[] | undefined {
    return (
      key ?? listedKey(member(origin, this.fields.primaryKeys), types) ?? configuredKey(this.#settings, name, types)
    );
  }

  /** In most tables the names of the members have told all. */
  #divided({ record, op, divided }: DataRecord, { ambiguous }: TableTraits): DividedRecord {
    if (ambiguous === undefined || !isOfRow(op)) return divided;
    return divideByColumns(record, divided, ambiguous, this.fields, this.#settings.flattenDelimiter);
  }

  #traitsOf(name: string, knowledge: TableKnowledge): TableTraits {
    const { key = [], columns } = knowledge;
    const ambiguous = ambiguousTable(columns, key, this.fields, this.#settings.flattenDelimiter);
    const identityStart = `${this.#identityStart}\n${name}\n`;
    const known = columns.length === 0 ? declaredColumns(knowledge.types, this.fields) : columns;
    return { name, knowledge, table: this.tableOf(name), identityStart, columns: known, ambiguous };
  }

  #opTime({ opTime }: Header): OpTime | undefined {
    const sent = textOf(opTime, this.fields.opTime);
    const time = sent === null ? undefined : this.#times.read(sent);
    if (time !== undefined || this.#settings.order === 'arrival') return time;
    throw new UnprocessableError(
      'no-order',
      sent === null ? 'the record does not say when it was done' : 'the time of the operation cannot be read',
    );
  }

  #prefix(opTime: OpTime | undefined): string {
    return this.#settings.order === 'arrival' || opTime === undefined ? '' : opTime.sortable;
  }

  /**
   * What is equal in every delivery of a record and in no other. One operation may come as two records at one position:
   * a key change as delete and insert. Classic positions begin again with each new trail, and a repeat keeps the time of
   * the operation, as it was sent. Never part of it: when a relay or the formatter touched it, and what was known of its
   * table when it came.
   */
  #identity({ record, op, divided }: DataRecord, { identityStart }: TableTraits): string {
    const position = textOf(divided.position, this.fields.position);
    if (position !== null && position !== '') {
      // The position of a Data Stream names its record alone.
      const isDataStream = divided.dataStreamTable !== undefined || position.startsWith(DATA_STREAM_POSITION);
      if (isDataStream) return `${this.#identityStart}\n${op}\n${position}`;
      const time = textOf(divided.opTime, this.fields.opTime);
      return `${identityStart}${op}\n${position}\n${time ?? ''}`;
    }
    const content = {
      time: textOf(divided.opTime, this.fields.opTime),
      transaction: divided.transaction ?? null,
      before: isOfRow(op) ? divided.before : null,
      after: isOfRow(op) ? divided.after : null,
      ddl: member(record, this.fields.ddl) ?? null,
    };
    const hash = createHash('sha256').update(canonicalJson(content)).digest('hex');
    return `${identityStart}${op}\n#${hash}`;
  }

  /** Classic records have no transaction id of their own; some producers put it among the tokens. */
  #transaction({ transaction, tokens }: Header): string | null {
    const id = textOf(transaction, this.fields.transaction);
    if (id !== null) return id;
    return isObject(tokens) ? textMember(tokens, 'txid') : null;
  }

  /**
   * In a stream that leaves nulls out, the columns that the resulting row does not name are null. But those of the key
   * are as they were, and what a field hides, or a helper in an image as it was sent says is missing, is unknown.
   */
  #filled(
    images: Images,
    sent: DividedRecord,
    op: DataRecord['op'],
    columns: readonly string[],
    key: readonly KeyColumn[],
  ): Images {
    const { after } = images;
    if (this.#settings.absent === 'unknown' || after === null || op === 'delete') return images;
    const hidden = images.layout === 'row' ? Object.keys(images.origin) : [];
    const left = new Set([...key.map(({ name }) => name), ...hidden]);
    const withHelpers = [sent.before, sent.after].filter(isObject);
    const filled: { [column: string]: JsonValue } = { ...after };
    for (const column of [...columns, ...Object.keys(images.before ?? {})]) {
      if (Object.hasOwn(filled, column) || left.has(column)) continue;
      if (!withHelpers.some((image) => isMissing(image, column))) setMember(filled, column, null);
    }
    return { ...images, after: filled };
  }
}

function isOfRow(op: DataRecord['op']): boolean {
  return op !== 'ddl' && op !== 'truncate';
}

/** Which row a change is about, and what it says about it. */
interface Half {
  readonly image: 'partial' | 'none';
  readonly keys: Columns | null;
  readonly key: string;
  readonly movedFrom?: RowKey | undefined;
}

function tableHalf(identity: string): Half {
  return { image: 'none', keys: null, key: unkeyedKey(identity) };
}

function rowHalf(op: DataRecord['op'], key: readonly KeyColumn[], { before, after }: Images): Half {
  if (op === 'delete') {
    const { keys, key: id } = needed(keyIn(key, before, after));
    return { image: 'none', keys, key: id };
  }
  const { keys, key: id } = needed(keyIn(key, after, before));
  const then = op === 'insert' || before === null || isKept(key, before, after) ? undefined : keyIn(key, before, after);
  return { image: 'partial', keys, key: id, movedFrom: then === undefined || then.key === id ? undefined : then };
}

/**
 * Tells the usual case, that a key did not change, without working out ids. A `before` may carry no more of the key
 * than what changed.
 */
function isKept(key: readonly KeyColumn[], before: Columns, after: Columns | null): boolean {
  if (after === null) return true;
  for (const { name } of key) {
    const was = member(before, name);
    if (was !== undefined && was !== member(after, name)) return false;
  }
  return true;
}

function configuredKey({ keys }: GoldenGateStream, name: string, types: TableKnowledge['types']) {
  return Object.hasOwn(keys, name) ? listedKey(keys[name], types) : undefined;
}

function needed(key: RowKey | undefined): RowKey {
  if (key !== undefined) return key;
  throw new UnprocessableError('invalid-envelope', 'no image of the record has all columns of the key');
}
