/** The fields that a record may have besides its columns, as both families call them when nothing is renamed. */
export const FIELDS = [
  'qual_table',
  'table',
  'op_type',
  'op_ts',
  'pos',
  'xid',
  'before',
  'after',
  'primary_keys',
  'tokens',
  'ddl',
  // What follows is kept as the source's word about itself, and never read.
  'current_ts',
  'csn',
  'op_seqno',
  'opSeqno',
  'trans_ind',
  'transInd',
  'rowid',
  'env',
  'sys',
] as const;

export type Field = (typeof FIELDS)[number];

/**
 * What the fields of a record are called. Both families let every field be renamed, and the setting `fields` of a
 * stream says how: our name -> theirs.
 */
export interface FieldNames {
  /** The qualified table name of a Data Stream, and that of a classic record: the first that a record has. */
  readonly table: readonly [dataStream: string, classic: string];
  readonly opType: string;
  readonly opTime: string;
  readonly position: string;
  readonly transaction: string;
  readonly before: string;
  readonly after: string;
  readonly primaryKeys: string;
  readonly tokens: string;
  readonly ddl: string;
  /** Every name that is a field's: in row-modelled records, whatever else there is is a column. */
  readonly all: ReadonlySet<string>;
}

export function fieldNames(renamed: { readonly [ours in Field]?: string | undefined }): FieldNames {
  const name = (ours: Field) => renamed[ours] ?? ours;
  return {
    table: [name('qual_table'), name('table')],
    opType: name('op_type'),
    opTime: name('op_ts'),
    position: name('pos'),
    transaction: name('xid'),
    before: name('before'),
    after: name('after'),
    primaryKeys: name('primary_keys'),
    tokens: name('tokens'),
    ddl: name('ddl'),
    all: new Set(FIELDS.map(name)),
  };
}

/** What metadata and schemas may call their fields even where those of the rows are renamed. */
export const DEFAULT_FIELDS: FieldNames = fieldNames({});
