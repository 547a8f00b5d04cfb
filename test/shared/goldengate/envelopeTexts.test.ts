import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Answer } from '../../../shared/body/answer.ts';
import { startTestStore, type TestStore } from '../testStore.ts';
import { instanceOn, post } from './consumerOn.ts';
import { newStreamOn } from './newStream.ts';
import { cloudEvent, METADATA, record, STREAM } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

describe('an envelope whose text is several records', () => {
  const life = () => [
    record('INSERT', 1, { after: { ID: 1, A: 'a' } }),
    record('UPDATE', 1, { after: { ID: 1, B: 'b' } }),
    record('UPDATE', 1, { before: { ID: 1 }, after: { ID: 2 } }),
  ];
  const AFTER_LIFE = { 1: 'deleted', 2: { ID: 2, A: 'a', B: 'b' } };
  const texts: readonly [string, (records: readonly object[]) => string][] = [
    ['with nothing between them', (records) => records.map((each) => JSON.stringify(each)).join('')],
    ['each on its line', (records) => records.map((each) => JSON.stringify(each)).join('\r\n')],
    ['as a list', (records) => JSON.stringify(records)],
  ];
  const envelopes: readonly ((text: string) => object)[] = [
    (value) => ({ records: [{ key: null, value }] }),
    (payload) => ({ schema: null, payload }),
    (data) => ({ ...cloudEvent('OGG-1', {}), data }),
    (text) => ({ ...cloudEvent('OGG-1', {}), data: undefined, data_base64: Buffer.from(text).toString('base64') }),
  ];
  for (const [how, textOf] of texts) {
    test(`${how} brings all of them, in their order`, async () => {
      for (const envelope of envelopes) {
        const { post, rows } = await newStreamOn(store);
        await post(METADATA);
        const body = envelope(textOf(life()));
        assert.deepEqual(await post(body), { applied: 3 });
        assert.deepEqual(await post(body), { duplicate: 3 });
        assert.deepEqual(await rows(), AFTER_LIFE);
      }
    });
  }

  test('parks them, each for itself, where their key is not known', async () => {
    for (const [, textOf] of texts) {
      const { post, rows } = await newStreamOn(store);
      assert.deepEqual(await post({ records: [{ key: null, value: textOf(life()) }] }), { parked: 3 });
      await post(METADATA);
      assert.deepEqual(await rows(), AFTER_LIFE);
    }
  });

  test('one of which is malformed says where it stands in the text, not in the body', async () => {
    const { stream } = await newStreamOn(store);
    const { consumer } = await instanceOn(store, stream);
    for (const envelope of envelopes) {
      for (const [text, detail] of [
        ['{"a":}', 'bytes 0 to 6 of the text in the envelope: it is not JSON'],
        ['{"op_type":"STREAM_METADATA"}\n{"é":', 'bytes 30 to 36 of the text in the envelope: its end is missing'],
      ] as const) {
        const { body } = await post(consumer, stream, JSON.stringify(envelope(text)) + JSON.stringify(STREAM));
        assert.deepEqual(
          (body as Answer).errors.map((error) => error.detail),
          [detail],
        );
      }
    }
  });

  test('one of which is bad brings its neighbours', async () => {
    for (const envelope of envelopes) {
      const { post, rows } = await newStreamOn(store);
      const text = [METADATA, ...life(), record('FROB', 2, {}), record('INSERT', 3, { after: { ID: 3 } })];
      const { reasons, ...counts } = await post(envelope(text.map((each) => JSON.stringify(each)).join('')));
      assert.deepEqual(counts, { catalog: 1, applied: 4, deadLettered: 1 });
      assert.match(String(reasons), /unknown-operation/);
      assert.deepEqual(await rows(), { ...AFTER_LIFE, 3: { ID: 3 } });
    }
  });
});

describe('an envelope whose text no bytes, or no characters, are is a dead letter, and no value is changed:', () => {
  const text = JSON.stringify(record('INSERT', 1, { after: { ID: 1, A: 'x@y' } }));
  const bytesWith = (bad: readonly number[]) =>
    Buffer.concat([Buffer.from(text.split('@')[0] ?? ''), Buffer.from(bad), Buffer.from(text.split('@')[1] ?? '')]);
  const notUtf8 = [[0xe9], [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98]].map((bad) => {
    const { data: _, ...event } = cloudEvent('OGG-1', {});
    return { ...event, data_base64: bytesWith(bad).toString('base64') };
  });
  const halves = ['\ud83d', '\ude00', '\ude00\ud83d'].map((half) => text.replace('@', half));
  const sent: readonly [string, readonly object[]][] = [
    ['base64 of what is not UTF-8', notUtf8],
    [
      'half a character in the text of a CloudEvent',
      halves.map((half) => ({ ...cloudEvent('OGG-1', {}), data: half })),
    ],
    ['half a character in the text of a Kafka value', halves.map((half) => ({ key: null, value: half }))],
    ['half a character in a Connect payload', halves.map((half) => ({ schema: null, payload: `[${half}]` }))],
  ];
  for (const [name, envelopes] of sent) {
    test(name, async () => {
      const { post, rows } = await newStreamOn(store);
      const good = record('INSERT', 1, { after: { ID: 2, A: '\u{1f600}' } });
      const { length } = envelopes;
      assert.deepEqual(await post([METADATA, ...envelopes, good]), {
        catalog: 1,
        applied: 1,
        deadLettered: length,
        reasons: envelopes.map((_, index) => [index + 1, 'undecodable']),
      });
      assert.deepEqual(await rows(), { 2: { ID: 2, A: '\u{1f600}' } });
    });
  }

  test('not one whose characters are whole, or escaped in its text', async () => {
    const escaped = text.replace('@', '\\ud83d\\ude00');
    const { data: _, ...event } = cloudEvent('OGG-1', {});
    const whole = { ...event, data_base64: bytesWith([0xf0, 0x9f, 0x98, 0x80]).toString('base64') };
    for (const each of [whole, { ...event, data: escaped }, { ...event, data: text.replace('@', '\u{1f600}') }]) {
      const { post, rows } = await newStreamOn(store);
      assert.deepEqual(await post([METADATA, each]), { catalog: 1, applied: 1 });
      assert.deepEqual(await rows(), { 1: { ID: 1, A: 'x\u{1f600}y' } });
    }
  });
});
