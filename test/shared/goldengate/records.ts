let positions = 0;

/** Records of the table S.T, as a Data Stream sends them. `second` is when it was done. Each has a position of its own. */
export function record(op: string, second: number, images: object) {
  const time = `2026-01-01T00:00:${String(second).padStart(2, '0')}.000000Z`;
  return {
    qual_table: 'S.T',
    op_type: op,
    op_ts: time,
    xid: `0.1.${second}`,
    pos: `G-AA+/==${positions++}`,
    ...images,
  };
}

/** A classic record of the same table. */
export function classic(op: string, pos: string, images: object) {
  return {
    table: 'S.T',
    op_type: op,
    op_ts: '2026-01-01 00:00:01.000000',
    current_ts: `2026-01-01T00:00:02.${positions++}`,
    pos: pos.padStart(20, '0'),
    primary_keys: ['ID'],
    tokens: {},
    ...images,
  };
}

export function cloudEvent(id: string, data: object) {
  return { specversion: '1.0', type: 'com.oracle.goldengate.datastream', source: 'uri:inst', id, data };
}

/** The key of S.T is the number ID. */
export const METADATA = {
  op_type: 'OBJECT_METADATA',
  qual_table: 'S.T',
  columns: {
    ID: { type: 'number', null: false, key: true },
    A: { type: 'string', null: true, key: false },
    B: { type: 'string', null: true, key: false },
  },
};

/** The schema of the rows of S.T; without properties it declares no type. */
export const SCHEMA = {
  id: 'urn:x:dml:S.T',
  $schema: 'http://json-schema.org/draft-04/schema#',
  title: 't',
  type: 'object',
  properties: {},
};

export const STREAM = { op_type: 'STREAM_METADATA', producer: { name: 'ds', version: '26' } };
