import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container } from '@azure/cosmos';
import {
  BY_PARTITION,
  type ConformanceTarget,
  openConformanceTarget,
  statusOf,
  withoutSystemProperties,
} from './conformanceTarget.ts';

describe('documents', () => {
  let target: ConformanceTarget;
  let container: Container;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_PARTITION);
  });
  after(() => target.close());

  test('a created document is read back with its system properties', async () => {
    const document = { id: 'read-back', pk: 'a', text: 'žluť \u{1F40E}', nested: { list: [1, null, true, 'x'] } };
    const created = await container.items.create(document);
    const { resource, etag } = await container.item('read-back', 'a').read();
    assert.equal(created.statusCode, 201);
    assert.deepEqual(withoutSystemProperties(resource), document);
    assert.equal(resource?._etag, etag);
    assert.equal(etag, created.etag);
    assert.deepEqual(
      ['_rid', '_self', '_etag', '_attachments', '_ts'].map((name) => typeof resource?.[name]),
      ['string', 'string', 'string', 'string', 'number'],
    );
    assert.ok(Math.abs(Number(resource?._ts) - Date.now() / 1000) < 300);
  });

  test('an id is unique within its logical partition only', async () => {
    await container.items.create({ id: 'same', pk: 'a' });
    assert.equal(await statusOf(container.items.create({ id: 'same', pk: 'a' })), 409);
    assert.equal(await statusOf(container.items.create({ id: 'same', pk: 'b' })), 201);
  });

  test('an upsert creates, then replaces', async () => {
    assert.equal((await container.items.upsert({ id: 'upsert', pk: 'a', n: 1 })).statusCode, 201);
    assert.equal((await container.items.upsert({ id: 'upsert', pk: 'a', m: 2 })).statusCode, 200);
    const { resource } = await container.item('upsert', 'a').read();
    assert.deepEqual(withoutSystemProperties(resource), { id: 'upsert', pk: 'a', m: 2 });
  });

  test('a document that was read can be written back, with a new etag', async () => {
    await container.items.create({ id: 'back', pk: 'a', n: 1 });
    const { resource, etag } = await container.item('back', 'a').read();
    const replaced = await container.item('back', 'a').replace({ ...resource, id: 'back', n: 2 });
    assert.deepEqual(withoutSystemProperties(replaced.resource), { id: 'back', pk: 'a', n: 2 });
    assert.equal(replaced.resource?._rid, resource?._rid);
    assert.notEqual(replaced.etag, etag);
  });

  test('a deleted document is not found, nor deleted or replaced again', async () => {
    await container.items.create({ id: 'gone', pk: 'a' });
    assert.equal((await container.item('gone', 'a').delete()).statusCode, 204);
    const read = await container.item('gone', 'a').read();
    assert.deepEqual([read.statusCode, read.resource], [404, undefined]);
    assert.equal(await statusOf(container.item('gone', 'a').delete()), 404);
    assert.equal(await statusOf(container.item('gone', 'a').replace({ id: 'gone', pk: 'a' })), 404);
  });

  test('If-Match lets a write through only at the current etag', async () => {
    const { etag } = await container.items.create({ id: 'match', pk: 'a', n: 1 });
    const item = container.item('match', 'a');
    const current = { accessCondition: { type: 'IfMatch', condition: etag } };
    assert.equal(await statusOf(item.replace({ id: 'match', pk: 'a', n: 2 }, current)), 200);
    assert.equal(await statusOf(item.replace({ id: 'match', pk: 'a', n: 3 }, current)), 412);
    assert.equal(await statusOf(container.items.upsert({ id: 'match', pk: 'a', n: 3 }, current)), 412);
    assert.equal(await statusOf(item.patch([{ op: 'set', path: '/n', value: 3 }], current)), 412);
    assert.equal(await statusOf(item.delete(current)), 412);
    const { resource } = await item.read();
    assert.equal(resource?.n, 2);
  });

  test('If-None-Match answers 304 to a read of what is known', async () => {
    const { etag } = await container.items.create({ id: 'known', pk: 'a' });
    const condition = { accessCondition: { type: 'IfNoneMatch', condition: etag } };
    const known = await container.item('known', 'a').read(condition);
    assert.equal(known.statusCode, 304);
    await container.items.upsert({ id: 'known', pk: 'a', n: 1 });
    assert.equal((await container.item('known', 'a').read(condition)).statusCode, 200);
  });

  test('a document without the key property lives in a partition of its own kind', async () => {
    await container.items.create({ id: 'keyless', n: 'none' });
    await container.items.create({ id: 'keyless', pk: null, n: 'null' });
    const none = await container.item('keyless', undefined).read();
    const ofNull = await container.item('keyless', null).read();
    assert.deepEqual([none.resource?.n, ofNull.resource?.n], ['none', 'null']);
  });

  test('keys of different types are different keys', async () => {
    for (const pk of ['1', 1, true, 'true']) await container.items.create({ id: 'typed', pk });
    const { resource } = await container.item('typed', 1).read();
    assert.equal(resource?.pk, 1);
    assert.equal((await container.item('typed', false).read()).statusCode, 404);
  });

  test('a key that is not the one of the document is refused', async () => {
    await container.items.create({ id: 'moved', pk: 'a' });
    assert.equal(await statusOf(container.item('moved', 'a').replace({ id: 'moved', pk: 'b' })), 400);
  });

  test('ids with percent signs, spaces, quotes and letters of any alphabet are just ids', async () => {
    for (const id of ['a%2Fb', '100%', 'two words', `"quoted'`, 'ключ', 'a+b=c&d']) {
      await container.items.create({ id, pk: 'ids' });
      assert.equal((await container.item(id, 'ids').read()).resource?.id, id);
      assert.equal((await container.item(id, 'ids').delete()).statusCode, 204);
    }
  });

  test('property names that mean something to JavaScript are just names', async () => {
    const text = '{"id":"names","pk":"a","__proto__":{"x":1},"constructor":2,"toString":3}';
    await container.items.create(JSON.parse(text));
    const { resources } = await container.items
      .query("SELECT c.constructor, c.hasOwnProperty, c['__proto__'].x FROM c WHERE c.id = 'names'")
      .fetchAll();
    assert.deepEqual(resources, [{ constructor: 2, x: 1 }]);
  });
});
