import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { EMPLOYEE_8_UPDATE } from '../../../local/samples/employee8.ts';
import { avroData, renderAvro, renderJson } from '../../../local/samples/render.ts';
import { decodeEnvelopes } from '../../../shared/ces/envelope.ts';
import { CesNormaliser } from '../../../shared/ces/normalise.ts';
import { readPayload } from '../../../shared/ces/payload.ts';
import { assemble, openEnvelope } from '../../../shared/ces/reassembly.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { DELIVERY, dataOf, eventOf, reasonOf, receive, STREAM } from './receive.ts';

/** Everything that may be done with a body; lets only refusals pass. */
function survive(body: Uint8Array): void {
  const normaliser = new CesNormaliser(STREAM);
  try {
    for (const envelope of decodeEnvelopes(body)) {
      const { payload, segment } = openEnvelope(envelope);
      const assembly = segment && assemble([segment]);
      const whole = payload ?? (assembly?.state === 'complete' ? assembly.payload : undefined);
      if (whole !== undefined) normaliser.normalise(envelope.attributes, whole, DELIVERY);
    }
  } catch (error) {
    if (!(error instanceof UnprocessableError)) throw error;
  }
}

const valid = [renderJson(EMPLOYEE_8_UPDATE), renderAvro(EMPLOYEE_8_UPDATE)];
const prefixes = ['', '{', '\ufeff{', '\x061.0', 'Obj\x01', '\xc3\x01', '\x00\x00\x00\x00\x01'].map((text) =>
  Buffer.from(text, 'latin1'),
);

describe('nothing but a refusal comes out of', () => {
  test('random bytes, after anything that begins like an event', () => {
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.uint8Array({ maxLength: 300 }), (prefix, bytes) =>
        survive(Buffer.concat([prefix, bytes])),
      ),
      { numRuns: 2000 },
    );
  });

  test('events with bytes changed, cut out or put in', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...valid),
        fc.nat(),
        fc.nat(40),
        fc.uint8Array({ maxLength: 12 }),
        (body, at, length, bytes) => {
          const start = at % body.length;
          survive(Buffer.concat([body.subarray(0, start), bytes, body.subarray(start + length)]));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test('data with Avro bytes changed', () => {
    const data = avroData(EMPLOYEE_8_UPDATE);
    fc.assert(
      fc.property(fc.nat(data.length - 1), fc.uint8Array({ minLength: 1, maxLength: 8 }), (at, bytes) => {
        try {
          readPayload(Buffer.concat([data.subarray(0, at), bytes, data.subarray(at + bytes.length)]));
        } catch (error) {
          if (!(error instanceof UnprocessableError)) throw error;
        }
      }),
      { numRuns: 3000 },
    );
  });

  test('any JSON in the place of any part', () => {
    const part = fc.constantFrom('envelope', 'eventsource', 'data', 'old', 'current');
    const member = fc.constantFrom(
      'type',
      'logicalid',
      'time',
      'segmentindex',
      'data',
      'cols',
      'pkkey',
      'transaction',
      'tbl',
      '__proto__',
    );
    fc.assert(
      fc.property(part, member, fc.jsonValue(), (name, key, value) => {
        const inside = name === 'envelope' || name === 'eventsource';
        const parts = { [name]: inside ? Object.fromEntries([[key, value]]) : value };
        survive(Buffer.from(eventOf(parts)));
        survive(Buffer.from(eventOf({ data: dataOf(parts) })));
      }),
      { numRuns: 2000 },
    );
  });
});

test('an Avro array that claims 2^40 items is refused at once', () => {
  const [db, schema, tbl] = ['d', 's', 't'].map((text) => Buffer.concat([Buffer.from([2]), Buffer.from(text)]));
  assert.ok(db && schema && tbl);
  const count = Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01]);
  assert.equal(
    reasonOf(() => readPayload(Buffer.concat([db, schema, tbl, count]))),
    'undecodable',
  );
});

test('a text in an Avro record that is not UTF-8 is refused, not mended', () => {
  const data = Buffer.from(avroData(EMPLOYEE_8_UPDATE));
  for (const text of ['Nikola', 'LastName', '000000B1:', 'EmployeesDb']) {
    const broken = Buffer.from(data);
    broken[data.indexOf(text)] = 0xff;
    assert.equal(
      reasonOf(() => readPayload(broken)),
      'undecodable',
    );
  }
});

describe('column names are just names', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'id', '_ts', 'hasOwnProperty']) {
    test(name, () => {
      const row = Object.fromEntries([
        ['Id', '7'],
        [name, '12'],
      ]);
      const cols = [
        { name: 'Id', type: 'int' },
        { name, type: 'int' },
      ];
      const { change } = receive(
        eventOf({ eventsource: { cols }, current: JSON.stringify(row), old: JSON.stringify(row) }),
      );
      for (const image of [change.before, change.after]) {
        assert.deepEqual(Object.entries(image ?? {}), [
          ['Id', 7],
          [name, 12],
        ]);
        assert.equal(Object.getPrototypeOf(image), Object.prototype);
      }
    });

    test(`${name} as the key`, () => {
      const eventsource = { cols: [{ name, type: 'int' }], pkkey: [{ columnname: name, value: '5' }] };
      const { change } = receive(eventOf({ eventsource, current: '{"x":"1"}' }));
      assert.deepEqual([change.key, Object.entries(change.keys ?? {})], ['5', [[name, 5]]]);
      assert.deepEqual(Object.entries(change.after ?? {}), [
        ['x', '1'],
        [name, 5],
      ]);
    });
  }
});

describe('nesting without end is refused', () => {
  const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const cases: [string, string][] = [
    ['in the envelope', `{"a":${deep(10_000)}}`],
    ['as the envelope', deep(10_000)],
    ['in a value', eventOf({ current: `{"Id":"7","x":${deep(10_000)}}` })],
    ['in a value, within what the parser takes', eventOf({ current: `{"Id":"7","x":${deep(500)}}` })],
    ['in data', eventOf({ data: `{"eventsource":${deep(10_000)}}` })],
    ['in data as an object', eventOf({ data: 'DEEP' }).replace('"DEEP"', `{"eventsource":${deep(10_000)}}`)],
    [
      'in the transaction',
      eventOf({ eventsource: { transaction: 'DEEP' } }).replace('\\"DEEP\\"', `{\\"commitlsn\\":${deep(10_000)}}`),
    ],
    [
      'in the key',
      eventOf({ eventsource: { pkkey: [{ columnname: 'Id', value: 'DEEP' }] }, current: '{}' }).replace(
        '\\"DEEP\\"',
        deep(10_000),
      ),
    ],
  ];
  for (const [name, body] of cases) {
    test(name, () =>
      assert.match(
        reasonOf(() => receive(body)),
        /^(undecodable|invalid-envelope)$/,
      ),
    );
  }
});

test('errors quote no row values', () => {
  for (const current of ['{"Id":"7","secret-value', '["secret-value"]', '{"Id":"7","x":[[["secret-value"']) {
    assert.throws(
      () => receive(eventOf({ current })),
      (error: unknown) => {
        assert.ok(error instanceof UnprocessableError);
        return !`${error.message}${error.cause ?? ''}`.includes('secret');
      },
    );
  }
});
