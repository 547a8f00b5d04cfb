import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateRawSync } from 'node:zlib';
import avro from 'avsc';
import { EMPLOYEE_8_INSERT } from '../../../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../../../local/samples/render.ts';
import { CHANGE_EVENT_SCHEMA } from '../../../shared/ces/avroSchemas.ts';
import { decodeEnvelope, decodeEnvelopes } from '../../../shared/ces/envelope.ts';
import { openEnvelope } from '../../../shared/ces/reassembly.ts';
import { dataOf, eventOf, reasonOf } from './receive.ts';

const json = renderJson(EMPLOYEE_8_INSERT);
const bareAvro = renderAvro(EMPLOYEE_8_INSERT);

const attributes = {
  id: '56cb8ff3-5c55-4f3b-a7f7-b044d1933ef6',
  logicalid: '1bf2756a-c15f-4d2e-a2d5-7d3f9dbf85b0:000000B1000008A80007:00000000000000000001',
  type: 'com.microsoft.SQL.CES.DML.V1',
  time: '2026-08-07T16:25:00.890Z',
  operation: 'INS',
  datacontenttype: 'application/json',
  segmentindex: 0,
  finalsegment: true,
};

/** An Avro object container as any writer makes it. */
function container(records: readonly Uint8Array[], codec = 'null', schema: object = CHANGE_EVENT_SCHEMA): Buffer {
  const sync = Buffer.alloc(16, 7);
  const header = avro.Type.forSchema({ type: 'map', values: 'bytes' }).toBuffer({
    'avro.schema': Buffer.from(JSON.stringify(schema)),
    'avro.codec': Buffer.from(codec),
  });
  const long = avro.Type.forSchema('long');
  const bytes = avro.Type.forSchema('bytes');
  const blocks = records.flatMap((record) => {
    const block = codec === 'deflate' ? deflateRawSync(record) : Buffer.from(record);
    return [long.toBuffer(1), bytes.toBuffer(block), sync];
  });
  return Buffer.concat([Buffer.from('Obj\x01', 'latin1'), header, sync, ...blocks]);
}

describe('the encoding is told from the bytes', () => {
  const bodies: [string, Uint8Array][] = [
    ['JSON', json],
    ['JSON after a byte order mark', Buffer.concat([Buffer.from('\ufeff'), json])],
    ['JSON after blanks', Buffer.concat([Buffer.from(' \r\n\t'), json])],
    ['a bare Avro record', bareAvro],
    ['an Avro object container', container([bareAvro])],
    ['a deflated Avro object container', container([bareAvro], 'deflate')],
    ['an Avro single object', Buffer.concat([Buffer.from([0xc3, 1, 1, 2, 3, 4, 5, 6, 7, 8]), bareAvro])],
    ['an Avro record after a schema registry id', Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), bareAvro])],
    ['JSON after a schema registry id', Buffer.concat([Buffer.from([0, 0, 0, 0, 9]), json])],
  ];
  for (const [name, body] of bodies) {
    test(`${name} gives the same attributes and payload`, () => {
      const envelope = decodeEnvelope(body);
      assert.deepEqual(envelope.attributes, attributes);
      // Clones, because Avro records come as instances of classes.
      assert.deepEqual(structuredClone(openEnvelope(envelope)), structuredClone(openEnvelope(decodeEnvelope(json))));
    });
  }

  test('a container may hold several events', () => {
    assert.deepEqual(
      decodeEnvelopes(container([bareAvro, bareAvro])).map((envelope) => envelope.attributes),
      [attributes, attributes],
    );
    assert.equal(
      reasonOf(() => decodeEnvelope(container([bareAvro, bareAvro]))),
      'invalid-envelope',
    );
  });

  test('a container whose writer used other integer and nullable types is read', () => {
    const schema = {
      ...CHANGE_EVENT_SCHEMA,
      fields: CHANGE_EVENT_SCHEMA.fields.map((field) => {
        if (field.name === 'segmentindex') return { ...field, type: 'long' };
        return field.name === 'time' ? { ...field, type: ['null', 'string'] } : field;
      }),
    };
    const record = avro.Type.forSchema(JSON.parse(JSON.stringify(schema)), { wrapUnions: false }).toBuffer({
      ...attributes,
      specversion: '1.0',
      source: '/',
      time: null,
      data: Buffer.from(JSON.stringify(dataOf())),
    });
    assert.deepEqual(decodeEnvelope(container([record], 'null', schema)).attributes, { ...attributes, time: null });
  });
});

describe('what is no CES event is refused with its reason', () => {
  const invalidUtf8 = Buffer.from(eventOf({ envelope: { id: 'x?' } }));
  invalidUtf8[invalidUtf8.indexOf('x?') + 1] = 0xff;
  const hostileCount = Buffer.concat([bareAvro.subarray(0, -3), Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f])]);
  const nulls = { type: 'record', name: 'N', fields: [{ name: 'a', type: { type: 'array', items: 'null' } }] };
  const cases: [string, string, Uint8Array | string][] = [
    ['no bytes', 'undecodable', ''],
    ['bytes that are nothing', 'undecodable', Buffer.from([1, 2, 3, 0xff])],
    ['text that is no JSON', 'undecodable', 'hello'],
    ['JSON that ends early', 'undecodable', eventOf().slice(0, -1)],
    ['JSON of another kind', 'invalid-envelope', '[1,2]'],
    ['JSON that is no CloudEvent', 'invalid-envelope', '{"hello":"world"}'],
    ['a CloudEvent without logicalid', 'invalid-envelope', eventOf({ envelope: { logicalid: undefined } })],
    ['a CloudEvent without operation', 'invalid-envelope', eventOf({ envelope: { operation: undefined } })],
    ['a CloudEvent without data', 'invalid-envelope', eventOf({ data: undefined })],
    ['a CloudEvent whose data is null', 'invalid-envelope', eventOf({ data: null })],
    ['a CloudEvent whose data is a number', 'invalid-envelope', eventOf({ data: 5 })],
    [
      'a segment that does not say whether it is the last',
      'invalid-envelope',
      eventOf({ envelope: { finalsegment: undefined } }),
    ],
    ['a segment with a negative index', 'invalid-envelope', eventOf({ envelope: { segmentindex: -1 } })],
    ['another specversion', 'invalid-envelope', eventOf({ envelope: { specversion: '0.3' } })],
    ['another type', 'unsupported-type', eventOf({ envelope: { type: 'com.example.Other' } })],
    [
      'a later version that no longer fits',
      'unsupported-type',
      eventOf({ envelope: { type: 'com.microsoft.SQL.CES.DML.V2', id: 7 } }),
    ],
    ['invalid UTF-8 outside data', 'undecodable', invalidUtf8],
    ['UTF-16', 'undecodable', Buffer.from(`\ufeff${eventOf()}`, 'utf16le')],
    ['Avro that ends early', 'undecodable', bareAvro.subarray(0, -1)],
    ['Avro with bytes left over', 'undecodable', Buffer.concat([bareAvro, Buffer.from([0])])],
    ['Avro with a length beyond the end', 'undecodable', hostileCount],
    ['a frame around nothing', 'undecodable', Buffer.from([0xc3, 1, 0, 0])],
    ['a container of another codec', 'undecodable', container([bareAvro], 'snappy')],
    [
      'a container that asks for endless nulls',
      'undecodable',
      container([Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f])], 'null', nulls),
    ],
    ['a container that ends early', 'undecodable', container([bareAvro]).subarray(0, -20)],
    ['a container with a broken record', 'undecodable', container([bareAvro.subarray(0, 40)])],
  ];
  for (const [name, reason, body] of cases) {
    test(`${name}: ${reason}`, () => {
      assert.equal(
        reasonOf(() => decodeEnvelopes(typeof body === 'string' ? Buffer.from(body) : body)),
        reason,
      );
    });
  }
});

test('a text of an Avro envelope that is not UTF-8 is refused, while a replacement character that was sent is kept', () => {
  const broken = Buffer.from(bareAvro);
  const at = broken.indexOf('56cb8ff3');
  broken[at] = 0xff;
  assert.equal(
    reasonOf(() => decodeEnvelope(broken)),
    'undecodable',
  );
  broken.set([0xef, 0xbf, 0xbd], at);
  assert.equal(decodeEnvelope(broken).attributes.id, '\ufffdb8ff3-5c55-4f3b-a7f7-b044d1933ef6');
});

test('indexes and flags that come as texts are understood', () => {
  const { attributes: read } = decodeEnvelope(
    Buffer.from(eventOf({ envelope: { segmentindex: '1', finalsegment: 'true' } })),
  );
  assert.deepEqual([read.segmentindex, read.finalsegment], [1, true]);
});
