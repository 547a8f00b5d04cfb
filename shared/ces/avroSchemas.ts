const CHANGE_EVENT_HEAD_FIELDS = [
  { name: 'specversion', type: 'string' as const },
  { name: 'type', type: 'string' as const },
  { name: 'source', type: 'string' as const },
  { name: 'id', type: 'string' as const },
  { name: 'logicalid', type: 'string' as const },
  { name: 'time', type: 'string' as const },
  { name: 'datacontenttype', type: 'string' as const },
  { name: 'operation', type: 'string' as const },
  { name: 'segmentindex', type: 'int' as const },
  { name: 'finalsegment', type: 'boolean' as const },
];

/**
 * The two Avro schemas that Microsoft publishes with the message format: `ChangeEvent`, the whole CloudEvent, and `Data`,
 * what its `data` member holds.
 */
export const CHANGE_EVENT_SCHEMA = {
  type: 'record' as const,
  name: 'ChangeEvent',
  fields: [...CHANGE_EVENT_HEAD_FIELDS, { name: 'data', type: 'bytes' as const }],
};

/** `ChangeEvent` up to its last member, `data`, which is large and need not be copied. */
export const CHANGE_EVENT_HEAD_SCHEMA = {
  type: 'record' as const,
  name: 'ChangeEventHead',
  fields: CHANGE_EVENT_HEAD_FIELDS,
};

const COLUMN = {
  type: 'record' as const,
  name: 'Column',
  fields: [
    { name: 'name', type: 'string' as const },
    { name: 'type', type: 'string' as const },
    { name: 'index', type: 'int' as const },
  ],
};

const KEY_PART = {
  type: 'record' as const,
  name: 'PkKey',
  fields: [
    { name: 'columnname', type: 'string' as const },
    { name: 'value', type: 'string' as const },
  ],
};

const TRANSACTION = {
  type: 'record' as const,
  name: 'Transaction',
  fields: [
    { name: 'commitlsn', type: 'string' as const },
    { name: 'beginlsn', type: 'string' as const },
    { name: 'sequencenumber', type: 'int' as const },
    { name: 'finalevent', type: 'boolean' as const },
    { name: 'committime', type: 'string' as const },
  ],
};

const HEAD_FIELDS = [
  { name: 'db', type: 'string' as const },
  { name: 'schema', type: 'string' as const },
  { name: 'tbl', type: 'string' as const },
  { name: 'cols', type: { type: 'array' as const, items: COLUMN } },
];

const MIDDLE_FIELDS = [
  { name: 'pkkey', type: { type: 'array' as const, items: KEY_PART } },
  { name: 'transaction', type: TRANSACTION },
];

const EVENT_SOURCE = {
  type: 'record' as const,
  name: 'EventSource',
  fields: [...HEAD_FIELDS, ...MIDDLE_FIELDS],
};

const EVENT_ROW = {
  type: 'record' as const,
  name: 'EventRow',
  fields: [
    { name: 'old', type: 'string' as const },
    { name: 'current', type: 'string' as const },
  ],
};

export const DATA_SCHEMA = {
  type: 'record' as const,
  name: 'Data',
  fields: [
    { name: 'eventsource', type: EVENT_SOURCE },
    { name: 'eventrow', type: EVENT_ROW },
  ],
};

/** `Data` up to its images, as two records in a row: the bytes are the same. See `avroData.ts`. */
export const DATA_HEAD_SCHEMA = { type: 'record' as const, name: 'DataHead', fields: HEAD_FIELDS };
export const DATA_MIDDLE_SCHEMA = { type: 'record' as const, name: 'DataMiddle', fields: MIDDLE_FIELDS };
