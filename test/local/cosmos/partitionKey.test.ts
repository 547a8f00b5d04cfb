import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CosmosError } from '../../../local/cosmos/errors.ts';
import { keyOfDocument, parseKey, parseKeyPath } from '../../../local/cosmos/partitionKey.ts';

test('paths are split at slashes, quoted names whole', () => {
  assert.deepEqual(parseKeyPath('/table'), ['table']);
  assert.deepEqual(parseKeyPath('/a/"b/c d"/e'), ['a', 'b/c d', 'e']);
  for (const path of ['table', '', '/', '//a', '/a/"b']) assert.throws(() => parseKeyPath(path), CosmosError, path);
});

test('no two different keys are stored alike', () => {
  const keys = [
    '[""]',
    '["n"]',
    '[null]',
    '[{}]',
    '[true]',
    '["true"]',
    '[1]',
    '["1"]',
    '["#1"]',
    '["1","2"]',
    '["1,2"]',
  ];
  const stored = keys.map((key) => JSON.stringify(parseKey(key)));
  assert.equal(new Set(stored).size, keys.length);
});

test('a document and a client name the same key alike', () => {
  const paths = [['a', 'b'], ['c'], ['d']];
  assert.deepEqual(keyOfDocument({ a: { b: 1.5 }, c: null }, paths), parseKey('[1.5,null,{}]'));
  assert.throws(() => keyOfDocument({ c: [] }, paths), CosmosError);
  assert.throws(() => parseKey('[[1]]'), CosmosError);
});
