import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startTestStore, type TestStore } from '../testStore.ts';
import { newStreamOn } from './newStream.ts';
import { METADATA } from './records.ts';

let store: TestStore;
before(async () => {
  store = await startTestStore();
});
after(() => store.close());

/** More than half of what the versions of one document may have together. */
const LARGE_CHARACTERS = 300_000;

const column = (type: string, key: boolean) => ({ type, null: !key, key });
const metadata = (columns: object) => ({ ...METADATA, columns });
const FIRST = { ID: column('number', true), A: column('string', false) };
const SECOND = { ID: column('number', true), A: column('string', false), B: column('string', false) };

/** As `columns` of a document of the catalog shows them. */
function described(columns: Readonly<Record<string, object>>) {
  return Object.entries(columns).map(([name, each]) => ({ name, ...each }));
}

type Versions = readonly { readonly columns?: object; readonly content?: object; readonly firstSeenAt: string }[];

async function newCatalog() {
  const { post, of } = await newStreamOn(store);
  return {
    post,
    of,
    /** The one document of `kind`: what it says now, and what its versions said, in their order. */
    async document(kind: 'table' | 'schema' | 'stream') {
      const [document, ...others] = (await of('catalog')).filter((each) => each.kind === kind);
      assert.deepEqual(others, []);
      const versions = document?.versions as Versions;
      return {
        newest: document?.columns ?? document?.content,
        versions: versions.map(({ columns, content }) => columns ?? content),
        areDated: versions.every(({ firstSeenAt }) => Date.parse(firstSeenAt) > 0),
      };
    },
  };
}

describe('the catalog keeps every version', () => {
  test("of a table's metadata once, the one that came last at the end", async () => {
    const { post, document } = await newCatalog();
    await post([FIRST, FIRST, SECOND].map(metadata));
    const [first, second] = [described(FIRST), described(SECOND)];
    assert.deepEqual(await document('table'), { newest: second, versions: [first, second], areDated: true });
    await post([SECOND, FIRST].map(metadata));
    assert.deepEqual(await document('table'), { newest: first, versions: [second, first], areDated: true });
  });

  test('however often the frame that brought several comes again, and when they came for the first time', async () => {
    const { post, document, of } = await newCatalog();
    const third = { ID: column('string', true) };
    const schema = (type: string) => ({ id: 'x', $schema: 'x', properties: {}, type });
    const frame = [...[third, FIRST, SECOND].map(metadata), schema('one'), schema('two')];
    await post(frame);
    const before = await of('catalog');
    for (let again = 0; again < 3; again++) await post(frame);
    assert.deepEqual(await of('catalog'), before);
    assert.deepEqual(await document('table'), {
      newest: described(SECOND),
      versions: [third, FIRST, SECOND].map(described),
      areDated: true,
    });
  });

  test("of a table's metadata once, in whatever order its columns stand", async () => {
    const { post, document } = await newCatalog();
    const shuffled = Object.fromEntries(Object.entries(SECOND).toReversed());
    await post([SECOND, shuffled].map(metadata));
    assert.deepEqual(await document('table'), {
      newest: described(SECOND),
      versions: [described(SECOND)],
      areDated: true,
    });
    await post([shuffled, FIRST, shuffled].map(metadata));
    assert.deepEqual(await document('table'), {
      newest: described(shuffled),
      versions: [FIRST, shuffled].map(described),
      areDated: true,
    });
  });

  test('of the metadata that came before and after a statement', async () => {
    const { post, document } = await newCatalog();
    const ddl = {
      op_type: 'DDL',
      op_ts: '2026-01-01T00:00:01Z',
      pos: 'G-1',
      ddl: { object: { schema: 'S', object: 'T' } },
    };
    await post([metadata(FIRST), ddl, metadata(FIRST)]);
    await post([{ ...ddl, pos: 'G-2' }, metadata(SECOND)]);
    const [first, second] = [described(FIRST), described(SECOND)];
    assert.deepEqual(await document('table'), { newest: second, versions: [first, second], areDated: true });
  });

  test('of a schema', async () => {
    const { post, document } = await newCatalog();
    const schema = (title: string) => ({ id: 'urn:x:ddl', $schema: 'x', title, type: 'object', properties: {} });
    const [one, two] = [schema('one'), schema('two')];
    await post([one, one, two]);
    await post([two, one]);
    assert.deepEqual(await document('schema'), { newest: one, versions: [two, one], areDated: true });
  });

  test("of a stream's metadata", async () => {
    const { post, document } = await newCatalog();
    const [one, two] = ['26.1', '26.2'].map((version) => ({ op_type: 'STREAM_METADATA', producer: { version } }));
    await post([one, one, two].map((each) => each ?? {}));
    assert.deepEqual(await document('stream'), { newest: two, versions: [one, two], areDated: true });
  });

  test('as far as they fit into a document: what did not come for longest goes first', async () => {
    const { post, document } = await newCatalog();
    const streams = ['a', 'b', 'c'].map((letter) => {
      return { op_type: 'STREAM_METADATA', note: letter.repeat(letter === 'c' ? 1 : LARGE_CHARACTERS) };
    });
    assert.deepEqual(await post(streams), { catalog: 3 });
    assert.deepEqual(await document('stream'), {
      newest: streams[2],
      versions: streams.slice(1),
      areDated: true,
    });
  });
});
