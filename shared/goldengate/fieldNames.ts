/**
 * What the fields of a record are called. Both families let every field be renamed, and the setting `fields` of a stream
 * says how: our name -> theirs.
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
  /** Every name that is a field's: in row-modelled records, whatever else there is is a column. */
  readonly all: ReadonlySet<string>;
}

/** Fields that are kept as the source's word about itself. */
const OTHER_FIELDS = [
  'current_ts',
  'csn',
  'tokens',
  'op_seqno',
  'opSeqno',
  'trans_ind',
  'transInd',
  'rowid',
  'env',
  'sys',
  'ddl',
];

export function fieldNames(renamed: Readonly<Record<string, string>>): FieldNames {
  const name = (ours: string) => (Object.hasOwn(renamed, ours) ? (renamed[ours] ?? ours) : ours);
  const names = {
    table: [name('qual_table'), name('table')] as const,
    opType: name('op_type'),
    opTime: name('op_ts'),
    position: name('pos'),
    transaction: name('xid'),
    before: name('before'),
    after: name('after'),
    primaryKeys: name('primary_keys'),
  };
  const all = new Set([...Object.values(names).flat(), ...OTHER_FIELDS.map(name), ...Object.values(renamed)]);
  return { ...names, all };
}
