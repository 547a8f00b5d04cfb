import { z } from 'zod';
import { UnprocessableError } from '../ingest/reasons.ts';
import { isObject, type MetadataMessage } from './message.ts';
import { tableName } from './shapes.ts';

/** One version of a table's columns, as a metadata message describes it. */
export interface TableVersion {
  readonly schemaId: string;
  /** `<schema>.<table>`; null where the message does not say. */
  readonly table: string | null;
  readonly lineage: Lineage;
  /** By ordinal. */
  readonly columns: readonly ColumnMetadata[];
  /** Columns of the primary key or unique index, in key order. */
  readonly key: readonly string[];
  /** The Avro schema of the table's data messages, as it came. */
  readonly dataSchema: string | null;
}

const whole = z.union([
  z.int(),
  z
    .string()
    .regex(/^-?\d{1,15}$/)
    .transform(Number),
]);
const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const number = whole.nullish().transform((value) => value ?? null);

const lineage = z.object({
  server: text,
  task: text,
  schema: text,
  table: text,
  tableVersion: number,
  timestamp: text,
});

const column = z.object({
  ordinal: whole.refine((value) => value >= 1),
  type: text,
  length: number,
  precision: number,
  scale: number,
  primaryKeyPosition: whole.nullish().transform((value) => value ?? 0),
  nullable: z
    .boolean()
    .nullish()
    .transform((value) => value ?? null),
});

type Lineage = z.output<typeof lineage>;
export type ColumnMetadata = { readonly name: string } & z.output<typeof column>;

/** More than any database allows a table. */
const MAX_COLUMNS = 10_000;

/** Reads a metadata message. Throws UnprocessableError (`invalid-envelope`) that names what is missing or of another form. */
export function readMetadata({ schemaId: envelopeId, content }: MetadataMessage): TableVersion {
  const schemaId = typeof content.schemaId === 'string' && content.schemaId !== '' ? content.schemaId : envelopeId;
  if (schemaId === null) throw misfit('schemaId');
  const from = lineage.safeParse(content.lineage ?? {});
  if (!from.success) throw misfit('lineage');
  const structure = isObject(content.tableStructure) ? content.tableStructure.tableColumns : undefined;
  if (!isObject(structure)) throw misfit('tableStructure.tableColumns');
  const columns = Object.entries(structure).map(([name, sent]) => readColumn(name, sent));
  if (columns.length > MAX_COLUMNS) throw misfit('tableStructure.tableColumns');
  return {
    schemaId,
    table: tableName(from.data.schema, from.data.table),
    lineage: from.data,
    columns: columns.sort((a, b) => a.ordinal - b.ordinal),
    key: columns
      .filter(({ primaryKeyPosition }) => primaryKeyPosition > 0)
      .sort((a, b) => a.primaryKeyPosition - b.primaryKeyPosition)
      .map(({ name }) => name),
    dataSchema: typeof content.dataSchema === 'string' ? content.dataSchema : null,
  };
}

function readColumn(name: string, sent: unknown): ColumnMetadata {
  const { success, data } = column.safeParse(sent);
  if (!success) throw misfit(`tableStructure.tableColumns.${name.slice(0, 100)}`);
  return { name, ...data };
}

function misfit(where: string): UnprocessableError {
  return new UnprocessableError('invalid-envelope', `a metadata message lacks ${where} or has it in another form`);
}
