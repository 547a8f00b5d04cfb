import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { classic, cloudEvent, record } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

const ATTRIBUTES = {
  specversion: '1.0',
  type: 'com.oracle.goldengate.datastream',
  source: 'uri:inst',
  id: 'OGG-9',
  time: '2026-01-01T00:00:03Z',
  subject: 'S.T',
  dataschema: 'urn:x:dml:S.T',
};
const IN_HEADERS = Object.fromEntries(Object.entries(ATTRIBUTES).map(([name, value]) => [`ce-${name}`, value]));

async function originsOf(bodies: readonly object[], headers?: Readonly<Record<string, string>>) {
  const { post, of } = await newStreamOn(store, { keys: { 'S.T': ['ID'] } });
  for (const body of bodies) await post(body, headers);
  return (await of('changes')).map(({ origin }) => origin);
}

describe('the origin of a change', () => {
  test('is what its record says about itself, verbatim', async () => {
    const said = {
      ...record('UPDATE', 1, {}),
      current_ts: '2026-01-01T00:00:02.000001Z',
      csn: '007',
      opSeqno: 3,
      tokens: { R: 'AAA', none: null },
    };
    const image = { ID: 1, A: 'a' };
    assert.deepEqual(await originsOf([{ ...said, before: image, after: image }]), [said]);
    assert.deepEqual(await originsOf([{ ...said, 'before.ID': 1, 'after.ID': 1, 'after.A': 'a' }]), [said]);
    assert.deepEqual(await originsOf([{ ...said, ...image }]), [said]);
    const spoken = classic('I', '12', {});
    assert.deepEqual(await originsOf([{ ...spoken, before: null, after: image }]), [spoken]);
    assert.deepEqual(await originsOf([{ ...spoken, ...image }]), [spoken]);
  });

  test('is all of the record where it has no images', async () => {
    const truncate = record('TRUNCATE', 1, {});
    const ddl = {
      op_type: 'DDL',
      op_ts: '2026-01-01T00:00:01Z',
      pos: 'G-1',
      ddl: { object: { schema: 'S', object: 'T' }, statement: 'ALTER TABLE S.T ADD B NUMBER' },
    };
    assert.deepEqual(await originsOf([truncate]), [truncate]);
    assert.deepEqual(await originsOf([ddl]), [ddl]);
  });

  test('holds the attributes of the CloudEvent that its record was in, wherever that was in turn', async () => {
    const said = record('INSERT', 1, {});
    const event = { ...ATTRIBUTES, extension: 'x', data: { ...said, after: { ID: 1 } } };
    const expected = [{ ...said, cloudEvent: { ...ATTRIBUTES, extension: 'x' } }];
    const text = JSON.stringify(event.data);
    const bodies = [
      event,
      [event],
      { ...event, data: text },
      { ...event, data: undefined, data_base64: Buffer.from(text).toString('base64') },
      { records: [{ key: null, value: event }] },
      { records: [{ key: null, value: JSON.stringify(event) }] },
      { schema: { type: 'struct' }, payload: event },
    ];
    for (const body of bodies) assert.deepEqual(await originsOf([body]), expected);
  });

  test('holds the attributes that came in the headers, of every record of the body', async () => {
    const said = [record('INSERT', 1, {}), record('INSERT', 2, {})];
    const [one, two] = said.map((each, ID) => ({ ...each, after: { ID } }));
    const expected = said.map((each) => ({ ...each, cloudEvent: ATTRIBUTES }));
    assert.deepEqual(await originsOf([[one, two]], IN_HEADERS), expected);
    const { 'ce-time': _, 'ce-subject': __, 'ce-dataschema': ___, ...required } = IN_HEADERS;
    const { time: ____, subject: _____, dataschema: ______, ...attributes } = ATTRIBUTES;
    assert.deepEqual(await originsOf([[one]], required), [{ ...said[0], cloudEvent: attributes }]);
  });

  test('holds no attributes where the headers are of no CloudEvent, and its own rather than those in the headers', async () => {
    const said = record('INSERT', 1, {});
    const sent = { ...said, after: { ID: 1 } };
    assert.deepEqual(await originsOf([sent], { 'ce-id': 'OGG-9' }), [said]);
    const { data: _, ...attributes } = cloudEvent('OGG-1', sent);
    assert.deepEqual(await originsOf([cloudEvent('OGG-1', sent)], IN_HEADERS), [{ ...said, cloudEvent: attributes }]);
  });
});

describe('the transaction of a change', () => {
  test('is the xid, else the token txid, else nothing', async () => {
    const { post, of } = await newStreamOn(store, { keys: { 'S.T': ['ID'] } });
    const { xid: _, ...bare } = record('INSERT', 1, {});
    const sent = [
      { xid: '0.1.7', tokens: { txid: '0.1.8' } },
      { tokens: { R: 'AAA', txid: '0.1.8' } },
      { tokens: { R: 'AAA' } },
      { tokens: null },
      {},
    ];
    await post(sent.map((each, ID) => ({ ...bare, pos: `G-${ID}`, ...each, after: { ID } })));
    const of8 = (id: string) => ({ id, sequence: null, last: null });
    assert.deepEqual(
      (await of('changes')).map(({ transaction }) => transaction),
      [of8('0.1.7'), of8('0.1.8'), null, null, null],
    );
  });
});
