import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import {
  TableCatalog,
  type TableDocument,
  type TableSighting,
  withSighting,
} from '../../../shared/ces/tableCatalog.ts';
import { startTestStore, type TestStore } from '../testStore.ts';

const ID = { name: 'Id', type: 'int', index: 0 };
const NAME = { name: 'Name', type: 'nvarchar(50)', index: 1 };
const WIDER_NAME = { ...NAME, type: 'nvarchar(100)' };
const STOCK = { name: 'Stock', type: 'int', index: 5 };

function sighting(token: string, isFull: boolean, ...columns: (typeof ID)[]): TableSighting {
  return { table: { table: 'ces/s/Db.dbo.T', columns, key: ['Id'] }, isFull, token };
}

describe('the versions of a table', () => {
  const versionsOf = (...sightings: TableSighting[]) =>
    sightings.reduce<ReturnType<typeof withSighting>>(
      (versions, each) => withSighting(versions ?? [], each, 'now') ?? versions,
      [],
    );
  const columnsOf = (...sightings: TableSighting[]) => versionsOf(...sightings)?.map(({ columns }) => columns);

  test('are one for each set of columns and types that a whole row showed', () => {
    assert.deepEqual(
      columnsOf(
        sighting('1', true, ID, NAME),
        sighting('2', true, ID, NAME),
        sighting('3', true, ID),
        sighting('4', true, ID, WIDER_NAME),
      ),
      [[ID, NAME], [ID], [ID, WIDER_NAME]],
    );
  });

  test('are not multiplied by events with the changed columns only', () => {
    assert.deepEqual(columnsOf(sighting('1', true, ID, NAME, STOCK), sighting('2', false, ID, STOCK)), [
      [ID, NAME, STOCK],
    ]);
    assert.deepEqual(columnsOf(sighting('1', false, ID, STOCK), sighting('2', false, ID, NAME)), [
      [ID, STOCK],
      [ID, NAME, STOCK],
    ]);
    assert.deepEqual(columnsOf(sighting('1', true, ID, NAME), sighting('2', false, ID, WIDER_NAME)), [
      [ID, NAME],
      [ID, WIDER_NAME],
    ]);
  });

  test('stand in the order of the source, not of arrival', () => {
    assert.deepEqual(
      versionsOf(sighting('2', true, ID), sighting('1', true, ID, NAME))?.map(({ token }) => token),
      ['1', '2'],
    );
  });

  test('are never lost or doubled, whatever the order', () => {
    const columns = fc.subarray([NAME, WIDER_NAME, STOCK]);
    const sightings = fc.array(fc.tuple(fc.integer({ min: 1, max: 9 }), columns), { maxLength: 8 });
    fc.assert(
      fc.property(sightings, (all) => {
        const versions = versionsOf(...all.map(([token, more]) => sighting(String(token), true, ID, ...more))) ?? [];
        const texts = versions.map((version) => JSON.stringify(version.columns));
        assert.deepEqual(
          [...new Set(texts)].sort(),
          [...new Set(all.map(([, more]) => JSON.stringify([ID, ...more])))].sort(),
        );
        assert.equal(texts.length, new Set(texts).size);
      }),
    );
  });
});

describe('the catalog', () => {
  let store: TestStore;
  before(async () => {
    store = await startTestStore();
  });
  after(() => store.close());

  test('keeps a table once, written by several instances at the same time', async () => {
    const shapes = [sighting('1', true, ID), sighting('2', true, ID, NAME), sighting('3', true, ID, NAME, STOCK)];
    await Promise.all(
      shapes.map(async (each) => new TableCatalog((await store.open()).catalog, 's').record([each, each])),
    );
    const [document, ...others] = (await store.documents('catalog')) as unknown as TableDocument[];
    assert.deepEqual(others, []);
    assert.deepEqual(
      [
        document?.table,
        document?.stream,
        document?.columns,
        document?.key,
        document?.versions.map(({ columns }) => columns),
      ],
      ['ces/s/Db.dbo.T', 's', [ID, NAME, STOCK], ['Id'], [[ID], [ID, NAME], [ID, NAME, STOCK]]],
    );
  });

  test('is not asked again about what it has been told', async () => {
    const catalog = new TableCatalog((await store.open()).catalog, 'other');
    const each = sighting('1', true, ID);
    await catalog.record([each]);
    store.proxy.arm(0, 'before');
    await catalog.record([each]);
    store.proxy.disarm();
  });
});
