import type { QlikStream } from '../config.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { masksOf } from './columnMasks.ts';
import { keyOfDelete } from './keys.ts';
import type { DataMessage } from './message.ts';
import type { TableFacts } from './normalise.ts';
import { decodeMessage, type EncodedMessage } from './openRecord.ts';
import { readOperation } from './operations.ts';
import type { RegisteredSchema, SchemaCatalog } from './schemaCatalog.ts';
import type { VersionPlan } from './versionPlan.ts';
import { waitForSchema, waitForTable } from './waiting.ts';

/** A message with what is known of its table, or the name of what it has to wait for. */
export type Resolved =
  | { readonly message: DataMessage; readonly facts: TableFacts }
  /** The message itself showed its table's key, which has been noted. */
  | { readonly message: DataMessage; readonly facts: TableFacts; readonly learnt: true }
  | { readonly message: DataMessage | null; readonly waitingFor: string };

/**
 * Finds what is known of a message's table. The name comes from the message, else from its metadata, else from the settings.
 * The key comes from the metadata; where there is none, from the record's key, the settings, or what a DELETE has
 * shown. A message that names a version which has not come waits for it, unless the settings know its table and key:
 * then its metadata may never come, and JSON can do without.
 */
export class Resolver {
  readonly #stream: string;
  readonly #settings: QlikStream;
  readonly #catalog: SchemaCatalog;

  constructor(stream: string, settings: QlikStream, catalog: SchemaCatalog) {
    this.#stream = stream;
    this.#settings = settings;
    this.#catalog = catalog;
  }

  /** Throws UnprocessableError when the message cannot be read, and StoreUnavailableError. */
  async resolve(opened: DataMessage | EncodedMessage): Promise<Resolved> {
    if (opened.kind === 'data') return this.#resolveData(opened);
    const { schema } = opened;
    const { format } = this.#settings;
    if (schema.from === 'metadata') {
      const plan = await this.#catalog.version(schema.schemaId);
      if (plan === undefined) return { message: null, waitingFor: waitForSchema(this.#stream, schema) };
      return this.#withPlan(decodeMessage(opened, plan.reader, format), plan);
    }
    const registered = await this.#catalog.registered(schema.registryId);
    if (registered === undefined) return { message: null, waitingFor: waitForSchema(this.#stream, schema) };
    return this.#withoutVersion(decodeMessage(opened, registered.reader, format), registered);
  }

  async #resolveData(message: DataMessage): Promise<Resolved> {
    const { schemaId } = message;
    if (schemaId === null) return this.#withoutVersion(message);
    const plan = await this.#catalog.version(schemaId);
    if (plan !== undefined) return this.#withPlan(message, plan);
    const name = message.table ?? this.#settings.table;
    const key = name === undefined ? undefined : this.#configuredKey(name);
    if (name !== undefined && key !== undefined) return { message, facts: { name, plan: null, key } };
    return { message, waitingFor: waitForSchema(this.#stream, { from: 'metadata', schemaId }) };
  }

  #withPlan(message: DataMessage, plan: VersionPlan): Resolved {
    const name = message.table ?? plan.version.table ?? this.#settings.table;
    if (name === undefined) return { message, waitingFor: waitForTable(this.#stream, null) };
    const key = plan.key.length > 0 ? plan.key : (this.#keyBeside(message, name) ?? null);
    return { message, facts: { name, plan, key } };
  }

  async #withoutVersion(message: DataMessage, registered?: RegisteredSchema): Promise<Resolved> {
    const name = message.table ?? registered?.table ?? this.#settings.table;
    if (name === undefined) return { message, waitingFor: waitForTable(this.#stream, null) };
    const known = await this.#catalog.table(name);
    if (known?.plan) return this.#withPlan({ ...message, table: name }, known.plan);
    const key = registered?.key ?? this.#keyBeside(message, name) ?? known?.key;
    if (key !== undefined) return { message, facts: { name, plan: null, key } };
    const shown = keyShownBy(message);
    if (shown === undefined) return { message, waitingFor: waitForTable(this.#stream, name) };
    await this.#catalog.learnKey(name, shown);
    return { message, facts: { name, plan: null, key: shown }, learnt: true };
  }

  #keyBeside(message: DataMessage, name: string): readonly string[] | undefined {
    return message.messageKey === null ? this.#configuredKey(name) : Object.keys(message.messageKey);
  }

  #configuredKey(name: string): readonly string[] | undefined {
    const { keys } = this.#settings;
    return Object.hasOwn(keys, name) ? keys[name] : undefined;
  }
}

/** A DELETE's `changeMask` has the columns of the key. */
function keyShownBy(message: DataMessage): readonly string[] | undefined {
  if (readOperation(message.headers) !== 'DELETE') return undefined;
  return keyOfDelete(message.data ?? message.beforeData ?? {}, masksOf(message, null));
}

/** The error that a record's own content causes; anything else is a fault of ours, or of the store, and goes up. */
export function unprocessable(error: unknown): UnprocessableError {
  if (error instanceof UnprocessableError) return error;
  throw error;
}
