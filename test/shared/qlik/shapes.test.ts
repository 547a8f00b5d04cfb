import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { JsonValue } from '../../../shared/change/json.ts';
import { DEFAULT_QLIK_STREAM } from '../../../shared/config.ts';
import { openJson } from '../../../shared/qlik/openRecord.ts';
import type { MessageFormat } from '../../../shared/qlik/shapes.ts';
import { bareMessage, envelope, reasonOf } from './messages.ts';

const { format } = DEFAULT_QLIK_STREAM;
const headers = { operation: 'UPDATE', changeSequence: '5' };
const data = { ID: 1, NAME: 'a' };

function open(value: object | null, own: Partial<MessageFormat> = {}) {
  const opened = openJson(JSON.parse(JSON.stringify(value)) as JsonValue, { ...format, ...own });
  assert.equal(opened.kind, 'data');
  if (opened.kind !== 'data') return undefined;
  return { table: opened.table, data: opened.data, headers: opened.headers };
}

const expected = { table: null, data, headers };

describe('a message', () => {
  const SHAPES: readonly [string, object, Partial<MessageFormat>?][] = [
    ['in its envelope', envelope({ data, beforeData: null, headers })],
    ['bare', { data, beforeData: null, headers }],
    ['in an envelope without its magic', { headers: null, message: { data, headers } }],
    ['with flattened headers', envelope({ data, ...headers })],
    [
      'with flattened headers that have the name of the section before theirs',
      { data, headers_operation: 'UPDATE', headers_changeSequence: '5' },
    ],
    [
      'with renamed sections',
      { Row: data, Old: null, Meta: headers },
      { data: 'Row', beforeData: 'Old', headers: 'Meta' },
    ],
    ['with flattened columns', { ...data, headers }, { data: '' }],
    ['with everything flattened', { ...data, headers_operation: 'UPDATE', headers_changeSequence: '5' }, { data: '' }],
    ['in a record of a REST proxy', { key: null, value: envelope({ data, headers }) }],
    [
      'in a push of Pub/Sub',
      { message: { data: base64(envelope({ data, headers })), messageId: '1' }, subscription: 's' },
    ],
    ['in a record of Firehose', { recordId: '1', data: base64({ data, headers }) }],
    ['in a CloudEvent', { specversion: '1.0', id: '1', source: 's', type: 't', data: { data, headers } }],
    ['in an event of Event Grid', { id: '1', eventType: 't', data: envelope({ data, headers }) }],
    ['of Kafka Connect with its schema', { schema: { type: 'struct' }, payload: { data, headers } }],
    ['wrapped twice', { key: 'k', value: { message: { data: base64({ data, headers }) } } }],
  ];
  for (const [name, value, own] of SHAPES) {
    test(`${name} is read`, () => assert.deepEqual(open(value, own), expected));
  }

  test('with columns that are called like sections and headers is read at its own places only', () => {
    const odd = { headers: { operation: 'DELETE' }, operation: 'INSERT', data: 'x', message: 'y', magic: 'atMSG' };
    assert.deepEqual(open(envelope({ data: odd, headers })), { ...expected, data: odd });
    assert.deepEqual(open({ data: odd, headers }), { ...expected, data: odd });
  });

  test('names its table itself, or in a column that the settings name', () => {
    assert.equal(open({ schema: 'hr', table: 'salary', data, headers })?.table, 'hr.salary');
    assert.equal(open({ table: 'salary', data, headers })?.table, 'salary');
    const columns = { ...data, __database: 'hr', __table: 'salary' };
    assert.equal(
      open({ data: columns, headers }, { schema: 'data.__database', table: 'data.__table' })?.table,
      'hr.salary',
    );
    assert.equal(open({ data: { ...data, table: 'salary' }, headers })?.table, null);
  });

  test('of the format before the envelope is converted', () => {
    const old = {
      task_name: 't',
      schema: 'HR',
      table: 'T',
      op: 'U',
      stream_position: 'p',
      change_seq: '5',
      ts: '2018-01-01 00:00:00',
      data: [{ ID: '1' }, { A: 'NULL' }],
      bu_data: [{ ID: '1' }, { A: 'x' }],
    };
    const opened = openJson(old as JsonValue, format);
    assert.deepEqual(opened, {
      kind: 'data',
      schemaId: null,
      table: 'HR.T',
      data: { ID: '1', A: null },
      beforeData: { ID: '1', A: 'x' },
      headers: { operation: 'UPDATE', changeSequence: '5', timestamp: '2018-01-01 00:00:00', streamPosition: 'p' },
      messageKey: null,
      form: 'attunity',
      nullTexts: ['A'],
    });
  });

  test('that is none is told apart by its fault', () => {
    const reason = (value: unknown) => reasonOf(() => openJson(value as JsonValue, format));
    assert.deepEqual(
      [
        5,
        'text',
        [],
        {},
        { data },
        envelope(null),
        envelope({ data }),
        envelope({}, 'MT'),
        { data: 5, headers },
        { key: 1, value: '{' },
        { message: { data: '%' } },
      ].map(reason),
      [...new Array(7).fill('invalid-envelope'), 'unsupported-type', 'invalid-envelope', 'undecodable', 'undecodable'],
    );
  });

  test('in base64 of bytes that are not UTF-8 is undecodable, whatever wraps it', () => {
    for (const bad of [[0xe9], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80]]) {
      const [head = '', tail = ''] = JSON.stringify({ data: { ...data, NAME: '@' }, headers }).split('@');
      const text = Buffer.concat([Buffer.from(head), Buffer.from(bad), Buffer.from(tail)]).toString('base64');
      const cloudEvent = { specversion: '1.0', id: '1', source: 's', type: 't' };
      const wrapped = [
        { message: { data: text } },
        { recordId: '1', data: text },
        { ...cloudEvent, data_base64: text },
        { key: null, value: text },
        { schema: null, payload: text },
      ];
      const reasons = wrapped.map((value) => reasonOf(() => openJson(value as JsonValue, format)));
      assert.deepEqual(reasons, new Array(wrapped.length).fill('undecodable'));
    }
  });

  test('has columns of any name', () => {
    const text = JSON.stringify(bareMessage({ data: 'HERE' })).replace(
      '"HERE"',
      '{"__proto__":1,"constructor":2,"ID":3}',
    );
    const opened = openJson(JSON.parse(text), format);
    assert.deepEqual(opened.kind === 'data' && Object.entries(opened.data ?? {}), [
      ['__proto__', 1],
      ['constructor', 2],
      ['ID', 3],
    ]);
  });
});

function base64(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64');
}
