import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseContainerDefinition } from '../../../local/cosmos/containerDefinition.ts';
import { CosmosError } from '../../../local/cosmos/errors.ts';
import { checkOrderByIndexes } from '../../../local/cosmos/indexing.ts';
import { parseQuery } from '../../../local/cosmos/sql/parser.ts';

const definition = parseContainerDefinition({
  id: 'c',
  partitionKey: { paths: ['/pk'] },
  indexingPolicy: {
    includedPaths: [{ path: '/committedAt/?' }, { path: '/row/kept/*' }],
    excludedPaths: [{ path: '/*' }, { path: '/row/*' }],
    compositeIndexes: [[{ path: '/table' }, { path: '/"committed at"', order: 'descending' }]],
  },
});

const SERVED = ['c.committedAt', 'c.row.kept', 'c.row.kept.more DESC', 'c.id', 'c._ts DESC'];
const COMPOSITE = ["c.table, c['committed at'] DESC", "c.table DESC, c['committed at'] ASC"];
const REFUSED = ['c.row.name', 'c.other', 'c.committedAt.part', 'c.rowing'];
const NO_COMPOSITE = ["c.table, c['committed at']", "c['committed at'] DESC, c.table", 'c.table, c.id'];

for (const order of [...SERVED, ...COMPOSITE]) {
  test(`ORDER BY ${order} can be served`, () => {
    checkOrderByIndexes(parseQuery(`SELECT * FROM c ORDER BY ${order}`), definition);
  });
}

for (const order of [...REFUSED, ...NO_COMPOSITE]) {
  test(`ORDER BY ${order} is refused for want of an index`, () => {
    const query = parseQuery(`SELECT * FROM c ORDER BY ${order}`);
    assert.throws(() => checkOrderByIndexes(query, definition), CosmosError);
  });
}
