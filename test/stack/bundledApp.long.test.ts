import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { EMPLOYEE_8 } from '../../local/samples/employee8.ts';
import { renderJson } from '../../local/samples/render.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';
import { unpackBundle } from './unpackedBundle.ts';

describe('the bundled app in an empty folder, without node_modules', () => {
  let unpacked: Awaited<ReturnType<typeof unpackBundle>>;
  let stack: TestStack;
  before(async () => {
    unpacked = await unpackBundle();
    stack = await startTestStack({}, { appRoot: unpacked.appRoot });
  });
  after(async () => {
    await stack?.close();
    await unpacked?.remove();
  });

  test('has no dependency, and the functions of the unbundled app', async () => {
    const { main, type, dependencies } = JSON.parse(await readFile(join(unpacked.appRoot, 'package.json'), 'utf8'));
    assert.deepEqual(
      { main, type, dependencies },
      { main: 'dist/functions/*.js', type: 'module', dependencies: undefined },
    );
    assert.deepEqual((await readdir(unpacked.appRoot)).sort(), ['dist', 'host.json', 'package.json']);
    const names = stack.host.functions.map(({ name }) => name);
    for (const name of ['cesEvents', 'changeFeed', 'health', 'status', 'sweep']) assert.ok(names.includes(name), name);
  });

  test('keeps the retry policy that holds a partition while the store is away', () => {
    const events = stack.host.functions.find(({ name }) => name === 'cesEvents');
    assert.ok(events?.kind === 'eventHub');
    assert.deepEqual(events.retry, {
      strategy: 'exponentialBackoff',
      maxRetryCount: -1,
      minimumMs: 1000,
      maximumMs: 60_000,
    });
  });

  test('turns the three messages of employee 8 into a tombstone and three changes', async () => {
    await stack.send(
      EMPLOYEE_8.map((event) => renderJson(event)),
      '0',
    );
    const status = await eventually(
      () => stack.cesStatus(),
      (numbers) => numbers?.received === 3,
    );
    assert.equal(status?.received, 3);
    const rows = (await stack.rows()).map(({ table, id, row, deleted }) => ({ table, id, row, deleted }));
    assert.deepEqual(rows, [{ table: 'ces/ces/EmployeesDb.dbo.Employees', id: '8', row: {}, deleted: true }]);
    assert.equal((await stack.documents('changes')).length, 3);
  });

  test('answers that it is healthy', async () => {
    assert.equal((await stack.get('/api/health')).status, 200);
  });
});
