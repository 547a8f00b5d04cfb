import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import avro, { type Schema } from 'avsc';
import fc from 'fast-check';
import { dataSchemaOf } from '../../../local/samples/qlik/avroSchemas.ts';
import { dataAvro, dataRecordAvro, metadataAvro } from '../../../local/samples/qlik/renderAvro.ts';
import { metadataOf } from '../../../local/samples/qlik/renderJson.ts';
import { containerOf } from '../../../shared/avro/container.ts';
import { parseAvroSchema } from '../../../shared/avro/schema.ts';
import type { JsonValue } from '../../../shared/change/json.ts';
import { DEFAULT_QLIK_STREAM } from '../../../shared/config.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { isAvroBody, splitAvroBody } from '../../../shared/qlik/avroFrames.ts';
import { readerOf, readWhole } from '../../../shared/qlik/avroReader.ts';
import { masksOf } from '../../../shared/qlik/columnMasks.ts';
import { readMetadata } from '../../../shared/qlik/metadata.ts';
import { decodeMessage, openFrame } from '../../../shared/qlik/openRecord.ts';
import { VersionPlan } from '../../../shared/qlik/versionPlan.ts';
import { eventOf, NAME, PRICE, reasonOf, tableOf } from './messages.ts';

const { format } = DEFAULT_QLIK_STREAM;
const TABLE = tableOf('t', [NAME, PRICE]);
const MAX_BYTES = 1_000_000;

function kindsIn(body: Uint8Array): string[] {
  return [...splitAvroBody(body, MAX_BYTES)].map(({ content }) =>
    content instanceof UnprocessableError ? content.reason : content.kind,
  );
}

/** What our reader makes of what the library has written. */
function read(schema: Schema | object, value: unknown): JsonValue {
  const bytes = avro.Type.forSchema(schema as Schema, { wrapUnions: false }).toBuffer(value);
  return readWhole(readerOf(parseAvroSchema(JSON.stringify(schema))), bytes);
}

describe('a body of Avro messages', () => {
  const message = dataAvro(eventOf(TABLE, 'INSERT', 1, { ID: 1, NAME: 'a', PRICE: '1.00' }));
  const delimited = (part: Uint8Array) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.byteLength);
    return Buffer.concat([length, part]);
  };
  const framed = Buffer.from([0, 0, 0, 0, 17, 1, 2, 3]);

  test('is told by its first bytes', () => {
    assert.equal(message.toString('hex', 0, 5), '61744d5347');
    const bodies = [
      message,
      framed,
      delimited(message),
      delimited(framed),
      Buffer.from('Obj\u0001'),
      Buffer.from('{"magic":"atMSG"}'),
      Buffer.from('[]'),
      Buffer.alloc(0),
    ];
    assert.deepEqual(bodies.map(isAvroBody), [true, true, true, true, true, false, false, false]);
  });

  test('may hold several, one after the other or each after its length', () => {
    assert.deepEqual(kindsIn(message), ['envelope']);
    assert.deepEqual(kindsIn(Buffer.concat([message, message])), ['envelope', 'envelope']);
    assert.deepEqual(kindsIn(Buffer.concat([message, framed, message].map(delimited))), [
      'envelope',
      'registered',
      'envelope',
    ]);
    assert.deepEqual(kindsIn(framed), ['registered']);
  });

  test('keeps the exact bytes of each, and what is cut off harms only itself', () => {
    const body = Buffer.concat([message, message.subarray(0, -3)]);
    const parts = [...splitAvroBody(body, MAX_BYTES)];
    assert.deepEqual(
      parts.map(({ bytes }) => Buffer.from(bytes)),
      [message, message.subarray(0, -3)],
    );
    assert.deepEqual(kindsIn(body), ['envelope', 'undecodable']);
    assert.deepEqual(kindsIn(Buffer.concat([delimited(message), delimited(message).subarray(0, -3)])), [
      'envelope',
      'undecodable',
    ]);
    assert.deepEqual(kindsIn(Buffer.concat([message, Buffer.from('rest')])), ['envelope', 'undecodable']);
  });

  test('may be an object container, whose records stand for themselves afterwards', () => {
    const schema = JSON.stringify(dataSchemaOf(TABLE));
    const record = dataRecordAvro(eventOf(TABLE, 'INSERT', 1, { ID: 1, NAME: 'a', PRICE: '1.00' }));
    const [part] = [...splitAvroBody(containerOf(schema, record), MAX_BYTES)];
    assert.ok(part !== undefined && !(part.content instanceof UnprocessableError));
    const opened = openFrame(part.content, null, format);
    assert.deepEqual(opened.kind === 'data' && opened.data, { ID: 1, NAME: 'a', PRICE: '1.00' });
    assert.deepEqual(Buffer.from(part.bytes), containerOf(schema, record));
    assert.deepEqual(kindsIn(containerOf('{}', record)), ['illegal-schema']);
    assert.deepEqual(kindsIn(containerOf(schema, record.subarray(1))), ['undecodable']);
  });
});

describe('Avro values', () => {
  test('are read as the library wrote them, whatever the integer', () => {
    fc.assert(
      fc.property(
        fc.maxSafeInteger(),
        fc.string({ unit: 'binary' }),
        fc.uint8Array({ maxLength: 80 }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        (long, text, bytes, double) => {
          const schema = {
            type: 'record',
            name: 'R',
            fields: [
              { name: 'l', type: 'long' },
              { name: 't', type: ['null', 'string'] },
              { name: 'b', type: 'bytes' },
              { name: 'd', type: 'double' },
              { name: 'a', type: { type: 'array', items: 'int' } },
              { name: 'm', type: { type: 'map', values: 'boolean' } },
            ],
          };
          const inRange = Math.abs(long) < 2 ** 52 ? long : 0;
          const value = {
            l: inRange,
            t: text.isWellFormed() ? text : null,
            b: Buffer.from(bytes),
            d: double,
            a: [1, -2],
            m: { x: true },
          };
          assert.deepEqual(read(schema, value), { ...value, b: value.b.toString('hex').toUpperCase() });
        },
      ),
    );
  });

  test('of 64 bits are exact, as texts where no number could hold them', () => {
    const reader = readerOf(parseAvroSchema('"long"'));
    const zigzag = (value: bigint) => {
      const bytes: number[] = [];
      let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
      for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
      return Uint8Array.from([...bytes, Number(rest)]);
    };
    fc.assert(
      fc.property(
        fc.oneof(
          fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
          fc.constantFrom(2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n), 2n ** 53n - 1n, 2n ** 53n + 1n),
        ),
        (value) => {
          assert.equal(String(readWhole(reader, zigzag(value))), String(value));
        },
      ),
    );
  });

  test('of logical types are what JSON would have', () => {
    const decimal = (scale: number) => ({ type: 'bytes', logicalType: 'decimal', precision: 38, scale });
    assert.deepEqual(
      [
        read(decimal(2), Buffer.from('0f4240', 'hex')),
        read(decimal(2), Buffer.from('ff', 'hex')),
        read(decimal(0), Buffer.from('00ffffffffffffffff', 'hex')),
        read(decimal(3), Buffer.from('ff0000000000000000', 'hex')),
        read(decimal(5), Buffer.alloc(0)),
        read(
          { type: 'fixed', name: 'F', size: 2, logicalType: 'decimal', precision: 4, scale: 1 },
          Buffer.from('fffe', 'hex'),
        ),
        read({ type: 'int', logicalType: 'date' }, 8729),
        read({ type: 'int', logicalType: 'time-millis' }, 45_296_000),
        read({ type: 'long', logicalType: 'timestamp-micros' }, 1_710_000_000_123_456),
        read({ type: 'string', logicalType: 'uuid' }, 'u'),
        read('float', 0.1),
        read('double', Number.NaN),
        read({ type: 'enum', name: 'E', symbols: ['A', 'B'] }, 'B'),
      ],
      [
        '10000.00',
        '-0.01',
        '18446744073709551615',
        '-18446744073709551.616',
        '0.00000',
        '-0.2',
        '1993-11-25',
        '12:34:56',
        '2024-03-09T16:00:00.123456',
        'u',
        0.1,
        'NaN',
        'B',
      ],
    );
  });

  test('that lie about their lengths and counts are refused at once', () => {
    const reason = (schema: string, hex: string) =>
      reasonOf(() => readWhole(readerOf(parseAvroSchema(schema)), Buffer.from(hex, 'hex')));
    const lies: readonly [string, string][] = [
      ['"string"', 'feffffff0f41'],
      ['"bytes"', '01'],
      ['"string"', '02ff'],
      ['"long"', 'ffffffffffffffffffffff01'],
      ['"boolean"', '02'],
      ['["null","int"]', '04'],
      ['{"type":"array","items":"null"}', 'fcffffff0f00'],
      ['{"type":"enum","name":"E","symbols":["A"]}', '02'],
      ['"double"', '0000'],
      ['"int"', '0000'],
    ];
    for (const [schema, hex] of lies) assert.equal(reason(schema, hex), 'undecodable', `${schema} ${hex}`);
  });
});

describe('an Avro schema', () => {
  const record = (...fields: object[]) => JSON.stringify({ type: 'record', name: 'R', fields });
  const BAD: readonly [string, string][] = [
    ['is not JSON', 'nonsense'],
    ['has a column whose name is none', record({ name: 'a b', type: 'int' })],
    ['has two columns of one name', record({ name: 'a', type: 'int' }, { name: 'a', type: 'int' })],
    ['names a type that there is not', record({ name: 'a', type: 'Nope' })],
    ['contains itself', record({ name: 'a', type: ['null', 'R'] })],
    ['is too deep', `${'{"type":'.repeat(50)}"int"${'}'.repeat(50)}`],
    ['asks for more parts than memory holds', doubling(40)],
    ['has an empty union', record({ name: 'a', type: [] })],
  ];
  for (const [fault, schema] of BAD) {
    test(`that ${fault} is refused`, () =>
      assert.equal(
        reasonOf(() => parseAvroSchema(schema)),
        'illegal-schema',
      ));
  }

  test('of metadata that a column named like a record makes illegal is reported by that name, and JSON does not care', () => {
    const table = { ...TABLE, columns: [...TABLE.columns, { name: 'Lineage', type: 'STRING' }] };
    const [part] = [...splitAvroBody(metadataAvroUnchecked(table), MAX_BYTES)];
    const content = part?.content;
    assert.ok(content !== undefined && !(content instanceof UnprocessableError));
    assert.throws(() => openFrame(content, null, format), {
      name: 'UnprocessableError',
      reason: 'illegal-schema',
      message: /Lineage/,
    });
    const version = readMetadata({ kind: 'metadata', schemaId: null, content: metadataOf(table) });
    assert.deepEqual(new VersionPlan(version).columns.get('Lineage')?.ordinal, 4);
  });

  test('names columns as it likes, `__proto__` among them', () => {
    const schema = {
      type: 'record',
      name: 'R',
      fields: [
        { name: '__proto__', type: 'int' },
        { name: 'constructor', type: 'int' },
      ],
    };
    const value = readWhole(readerOf(parseAvroSchema(JSON.stringify(schema))), Buffer.from([2, 4]));
    assert.deepEqual(Object.entries(value ?? {}), [
      ['__proto__', 1],
      ['constructor', 2],
    ]);
  });
});

describe('the masks of an Avro message', () => {
  test('are bytes in either order, which the columns that are there tell', () => {
    const columns = Array.from({ length: 15 }, (_, at) => ({ name: `c${at}`, type: 'STRING' }));
    const table = tableOf('wide', columns);
    const plan = new VersionPlan(readMetadata({ kind: 'metadata', schemaId: null, content: metadataOf(table) }));
    const data = Object.fromEntries([['ID', 1], ...columns.map(({ name }) => [name, name])]);
    const event = { ...eventOf(table, 'UPDATE', 1, data, { ...data, c0: 'x' }), uncaptured: new Set(['c14']) };
    for (const swapsMasks of [false, true]) {
      const payload = dataRecordAvro(event, swapsMasks);
      const encoded = {
        kind: 'encoded',
        schema: { from: 'metadata', schemaId: table.schemaId },
        payload,
        messageKey: null,
      } as const;
      const { columnMask, changeMask, ignored } = masksOf(decodeMessage(encoded, plan.reader, format), plan);
      assert.deepEqual([columnMask, changeMask, ignored], ['007FFF', '000002', []], `swapped: ${swapsMasks}`);
    }
  });
});

/** The bytes of a metadata message whose schema a strict writer would refuse: those of a legal one, its schema exchanged. */
function metadataAvroUnchecked(table: typeof TABLE): Buffer {
  const legal = {
    ...table,
    columns: table.columns.map((column) => ({ ...column, name: column.name.replace('Lineage', 'Linease') })),
  };
  return Buffer.from(metadataAvro(legal).toString('latin1').replaceAll('Linease', 'Lineage'), 'latin1');
}

/** Records that each hold the one before twice: a schema of a few lines, a value of 2^n parts. */
function doubling(levels: number): string {
  let type: object = { type: 'record', name: 'R0', fields: [{ name: 'n', type: 'null' }] };
  const fields = [{ name: 'f0', type }];
  for (let at = 1; at < levels; at++) {
    type = {
      type: 'record',
      name: `R${at}`,
      fields: [
        { name: 'a', type: `R${at - 1}` },
        { name: 'b', type: `R${at - 1}` },
      ],
    };
    fields.push({ name: `f${at}`, type });
  }
  return JSON.stringify({ type: 'record', name: 'Top', fields });
}
