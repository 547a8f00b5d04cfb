import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Container, PatchOperation } from '@azure/cosmos';
import {
  BY_PARTITION,
  type ConformanceTarget,
  openConformanceTarget,
  statusOf,
  withoutSystemProperties,
} from './conformanceTarget.ts';

const START = { a: 1, list: ['x', 'y'], nested: { b: true, 'with/slash': 0 } };

describe('patch', () => {
  let target: ConformanceTarget;
  let container: Container;
  let next = 0;
  before(async () => {
    target = await openConformanceTarget();
    container = await target.container(BY_PARTITION);
  });
  after(() => target.close());

  const patched = async (steps: readonly object[]): Promise<object | number | string | undefined> => {
    // By way of JSON, because the client's types do not know `move`; the client sends it as it is.
    const operations: PatchOperation[] = JSON.parse(JSON.stringify(steps));
    next += 1;
    const id = String(next);
    await container.items.create({ id, pk: 'p', ...START });
    const status = await statusOf(container.item(id, 'p').patch(operations));
    const { resource } = await container.item(id, 'p').read();
    const { id: _id, pk: _pk, ...rest } = withoutSystemProperties(resource) as Record<string, unknown>;
    if (status === 200) return rest;
    assert.deepEqual(rest, START);
    return status;
  };

  test('add and set put a property, new or not', async () => {
    assert.deepEqual(
      await patched([
        { op: 'add', path: '/a', value: 2 },
        { op: 'add', path: '/nested/c', value: { d: null } },
        { op: 'set', path: '/e', value: [1] },
      ]),
      { ...START, a: 2, nested: { ...START.nested, c: { d: null } }, e: [1] },
    );
  });

  test('on an array add inserts and set updates', async () => {
    assert.deepEqual(await patched([{ op: 'add', path: '/list/1', value: 'new' }]), {
      ...START,
      list: ['x', 'new', 'y'],
    });
    assert.deepEqual(await patched([{ op: 'add', path: '/list/-', value: 'new' }]), {
      ...START,
      list: ['x', 'y', 'new'],
    });
    assert.deepEqual(await patched([{ op: 'set', path: '/list/1', value: 'new' }]), { ...START, list: ['x', 'new'] });
    assert.equal(await patched([{ op: 'add', path: '/list/7', value: 'new' }]), 400);
  });

  test('replace and remove need something there', async () => {
    assert.deepEqual(await patched([{ op: 'replace', path: '/nested/b', value: 'c' }]), {
      ...START,
      nested: { b: 'c', 'with/slash': 0 },
    });
    assert.deepEqual(
      await patched([
        { op: 'remove', path: '/a' },
        { op: 'remove', path: '/list/0' },
      ]),
      { list: ['y'], nested: START.nested },
    );
    assert.equal(await patched([{ op: 'replace', path: '/missing', value: 1 }]), 400);
    assert.equal(await patched([{ op: 'remove', path: '/missing' }]), 400);
  });

  test('incr adds to a number, or begins one', async () => {
    assert.deepEqual(
      await patched([
        { op: 'incr', path: '/a', value: -1.5 },
        { op: 'incr', path: '/count', value: 3 },
      ]),
      { ...START, a: -0.5, count: 3 },
    );
    assert.equal(await patched([{ op: 'incr', path: '/list', value: 1 }]), 400);
  });

  test('move takes a value from one place to another', async () => {
    assert.deepEqual(await patched([{ op: 'move', from: '/nested/b', path: '/b' }]), {
      a: 1,
      list: START.list,
      nested: { 'with/slash': 0 },
      b: true,
    });
    assert.equal(await patched([{ op: 'move', from: '/missing', path: '/b' }]), 400);
    assert.equal(await patched([{ op: 'move', from: '/nested', path: '/nested/c' }]), 400);
  });

  test('a slash in a name is written ~1', async () => {
    assert.deepEqual(await patched([{ op: 'incr', path: '/nested/with~1slash', value: 1 }]), {
      ...START,
      nested: { b: true, 'with/slash': 1 },
    });
  });

  test('one operation that fails leaves the document as it was', async () => {
    assert.equal(
      await patched([
        { op: 'set', path: '/a', value: 9 },
        { op: 'set', path: '/missing/child', value: 9 },
      ]),
      400,
    );
  });

  test('the partition key and the id cannot be patched', async () => {
    assert.equal(await patched([{ op: 'set', path: '/pk', value: 'q' }]), 400);
    assert.equal(await patched([{ op: 'set', path: '/id', value: 'q' }]), 400);
  });

  test('more than ten operations are refused', async () => {
    const operations = Array.from({ length: 11 }, (): PatchOperation => ({ op: 'incr', path: '/a', value: 1 }));
    assert.equal(await patched(operations), 400);
    assert.deepEqual(await patched(operations.slice(1)), { ...START, a: 11 });
  });

  test('a condition that does not hold answers 412', async () => {
    await container.items.create({ id: 'conditional', pk: 'p', version: 3 });
    const item = container.item('conditional', 'p');
    const operations: PatchOperation[] = [{ op: 'set', path: '/version', value: 4 }];
    assert.equal(await statusOf(item.patch({ operations, condition: 'from c where c.version < 4' })), 200);
    assert.equal(await statusOf(item.patch({ operations, condition: 'from c where c.version < 4' })), 412);
    assert.equal(await statusOf(item.patch({ operations, condition: 'from c where c.absent < 4' })), 412);
  });

  test('a document that is not there cannot be patched', async () => {
    assert.equal(await statusOf(container.item('missing', 'p').patch([{ op: 'set', path: '/a', value: 1 }])), 404);
  });
});
