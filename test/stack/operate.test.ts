import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EMPLOYEE_8, EMPLOYEE_8_INSERT } from '../../local/samples/employee8.ts';
import { renderJson } from '../../local/samples/render.ts';
import { shopEvents } from '../../local/samples/shop.ts';
import { splitEvent } from '../../local/samples/splitEvent.ts';
import type { RowDocument } from '../../shared/change/rowDocument.ts';
import type { DeadLetterSummary, DeadLetterView } from '../../shared/operate/deadLetterView.ts';
import type { Health } from '../../shared/operate/health.ts';
import type { ReplayReport } from '../../shared/operate/replayReport.ts';
import type { Status } from '../../shared/operate/status.ts';
import type { ChangeDocument } from '../../shared/store/changes.ts';
import type { TableNumbers } from '../../shared/store/tables.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const TABLE = 'ces/ces/EmployeesDb.dbo.Employees';
const SETTINGS = { TOMBSTONE_TTL_DAYS: '3650' };

let stack: TestStack;
before(async () => {
  stack = await startTestStack(SETTINGS);
});
after(() => stack.close());

async function ask<Answer>(path: string, method = 'GET', body?: object): Promise<{ status: number; answer: Answer }> {
  const response = await fetch(`${stack.description.functionsUrl}/api/${path}`, {
    method,
    headers: { 'x-functions-key': stack.description.functionKey },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, answer: (text === '' ? undefined : JSON.parse(text)) as Answer };
}

describe('operating the app', () => {
  test('status numbers equal what was sent, in total and in the last hour', async () => {
    const pieces = splitEvent(EMPLOYEE_8_INSERT, { encoding: 'json', base: 0, segments: 4 });
    await stack.send([...EMPLOYEE_8.map((event) => renderJson(event)), renderJson(EMPLOYEE_8_INSERT)], '1');
    await stack.send([Buffer.from('{"no":"event"}'), Buffer.from('no JSON')], '1');
    const other = { ...EMPLOYEE_8_INSERT.table, logicalPrefix: 'held' };
    const held = splitEvent({ ...EMPLOYEE_8_INSERT, table: other }, { encoding: 'json', base: 0, segments: 4 });
    await stack.send(held.slice(0, 3), '2');
    assert.equal(pieces.length, 4);
    const { answer } = await eventually(
      () => ask<Status>('status'),
      (found) => found.answer.streams.find(({ source }) => source === 'ces')?.received === 9,
    );
    const ces = answer.streams.find(({ source }) => source === 'ces');
    assert.ok(ces !== undefined);
    const { received, applied, duplicate, stale, segments, deadLettered, pendingSegments, incompleteEvents } = ces;
    assert.deepEqual(
      { received, applied, duplicate, stale, segments, deadLettered, pendingSegments, incompleteEvents },
      {
        received: 9,
        applied: 3,
        duplicate: 1,
        stale: 0,
        segments: 3,
        deadLettered: 2,
        pendingSegments: 3,
        incompleteEvents: 1,
      },
    );
    const sum = (name: 'received' | 'applied' | 'deadLettered') =>
      ces.minutes.reduce((all, each) => all + each[name], 0);
    assert.deepEqual([ces.minutes.length, sum('received'), sum('applied'), sum('deadLettered')], [60, 9, 3, 2]);
    assert.ok(ces.requestUnits > 0 && ces.lagSeconds !== null && ces.oldestIncompleteAt !== null);
    assert.deepEqual([ces.deadLettersNow, answer.deadLettersTotal, ces.instances.length], [2, 2, 1]);
  });

  test('status shows how the partitions stand, once their checkpoints are written', async () => {
    const { answer } = await eventually(
      () => ask<Status>('status'),
      (found) => found.answer.streams[0]?.partitions?.every(({ waitingEvents }) => waitingEvents === 0) === true,
    );
    const partitions = answer.streams[0]?.partitions ?? [];
    assert.deepEqual(
      partitions.map(({ partition, waitingEvents, checkpointAt, stalled }) => [
        partition,
        waitingEvents,
        checkpointAt !== null,
        stalled,
      ]),
      [
        ['0', 0, false, false],
        ['1', 0, true, false],
        ['2', 0, true, false],
        ['3', 0, false, false],
      ],
    );
  });

  test('status shows when the timers last ran', async () => {
    await fetch(`${stack.description.functionsUrl}/admin/functions/sweep`, {
      method: 'POST',
      headers: { 'x-functions-key': stack.description.functionKey, 'content-type': 'application/json' },
      body: '{"input":""}',
    });
    const { answer } = await eventually(
      () => ask<Status>('status'),
      (found) => found.answer.timers.some(({ name, lastRunAt }) => name === 'sweep' && lastRunAt !== null),
    );
    const sweep = answer.timers.find(({ name }) => name === 'sweep');
    assert.deepEqual([sweep?.late, sweep?.error], [false, null]);
  });

  test('health touches the store, the storage account and each hub', async () => {
    const { status, answer } = await ask<Health>('health');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(answer.dependencies).sort(), ['cosmos', 'eventHub:ces', 'storage']);
  });

  test('tables and rows are there, a row with its history newest first, page by page', async () => {
    const { answer } = await ask<{ tables: TableNumbers[]; continuation: string | null }>('tables');
    assert.deepEqual(answer, {
      tables: [{ table: TABLE, source: 'ces', stream: 'ces', rows: 0, tombstones: 1 }],
      continuation: null,
    });
    const path = `rows?table=${encodeURIComponent(TABLE)}`;
    const { answer: list } = await ask<{ rows: RowDocument[]; continuation: string | null }>(path);
    assert.deepEqual(
      list.rows.map(({ id, deleted }) => [id, deleted]),
      [['8', true]],
    );
    type One = { row: RowDocument | null; changes: ChangeDocument[]; continuation: string | null };
    const ops: string[] = [];
    let continuation: string | null = '';
    while (continuation !== null) {
      const page: { answer: One } = await ask<One>(`${path}&id=8&limit=2&continuation=${continuation}`);
      assert.equal(page.answer.row?.deleted, true);
      ops.push(...page.answer.changes.map(({ op }) => op));
      continuation = page.answer.continuation;
    }
    assert.deepEqual(ops, ['delete', 'update', 'insert']);
    const { answer: nobody } = await ask<One>(`${path}&id=nobody`);
    assert.deepEqual(nobody, { row: null, changes: [], continuation: null });
  });

  test('dead letters are listed, opened, replayed and deleted', async () => {
    type List = { deadLetters: DeadLetterSummary[]; continuation: string | null };
    const { answer } = await ask<List>('deadletters?reason=undecodable');
    const [letter, ...others] = answer.deadLetters;
    assert.deepEqual([letter?.stream, letter?.reason, letter?.tries, others], ['ces', 'undecodable', 0, []]);
    const one = `deadletters/${letter?.id}?stream=ces`;
    const { answer: view } = await ask<DeadLetterView>(one);
    assert.deepEqual([view.text, view.decoded.error?.reason], ['no JSON', 'undecodable']);
    const body = { ids: [{ stream: 'ces', id: letter?.id }] };
    const { answer: report } = await ask<ReplayReport>('deadletters/replay', 'POST', body);
    assert.deepEqual([report.stillDead, report.replayed, report.remaining], [1, 0, 0]);
    const { answer: tried } = await ask<DeadLetterView>(one);
    assert.equal(tried.tries, 1);
    assert.equal((await ask(one, 'DELETE')).status, 204);
    assert.equal((await ask(one)).status, 404);
    assert.equal((await ask(one, 'DELETE')).status, 404);
    assert.deepEqual((await ask('deadletters?stream=ces', 'DELETE')).answer, { deleted: 1, remaining: 0 });
  });

  test('what cannot be understood is answered with what to change', async () => {
    for (const [path, method] of [
      ['rows', 'GET'],
      ['rows?table=x&limit=0', 'GET'],
      ['tables?continuation=nonsense', 'GET'],
      ['deadletters?from=yesterday', 'GET'],
      ['deadletters', 'DELETE'],
      ['deadletters/x', 'GET'],
      ['deadletters/replay', 'POST'],
    ] as const) {
      const { status, answer } = await ask<{ error: string }>(path, method, method === 'POST' ? {} : undefined);
      assert.deepEqual([path, status, typeof answer.error], [path, 400, 'string']);
    }
  });

  test('nothing but health, and the page, works without a key', async () => {
    const open = new Set(['health', 'ui']);
    const routes = stack.host.functions.flatMap((each) => (each.kind === 'http' ? [each] : []));
    assert.ok(routes.length > 8);
    for (const { name, route, methods } of routes) {
      for (const method of methods) {
        const path = route.text.replace(/\{[^}]*\}/g, 'x');
        const url = `${stack.description.functionsUrl}/${path}`;
        const { status } = await fetch(url, { method, ...(method === 'GET' ? {} : { body: '{}' }) });
        assert.equal(status === 401, !open.has(name), `${method} ${path}: ${status}`);
      }
    }
  });
});

describe('replaying all dead letters three times, under load', () => {
  test('leaves the same rows as once', async () => {
    // What nobody can read as it is, and what was given up although all of it is there.
    const events = [...shopEvents({ seed: 11, changes: 40 })];
    const bodies = events.map((event) => renderJson(event));
    const container = stack.container('deadletters');
    const letter = (body: Uint8Array, sequenceNumber: number) => ({
      id: `letter-${sequenceNumber}`,
      stream: 'ces',
      source: 'ces',
      reason: 'undecodable',
      detail: 'nobody could read it then',
      position: { hub: 'ces', partition: '0', sequenceNumber, offset: `${sequenceNumber}`, enqueuedAt: null },
      bytes: Buffer.from(body).toString('base64'),
      byteLength: body.byteLength,
      receivedAt: new Date().toISOString(),
      place: `${new Date().toISOString()} ${sequenceNumber}`,
      tries: 0,
    });
    const bury = () =>
      Promise.all(bodies.map((body, index) => container.items.upsert(letter(body, 1_000_000 + index))));
    const replayAll = async () => {
      let continuation: string | null = null;
      do {
        const { answer }: { answer: ReplayReport } = await ask<ReplayReport>('deadletters/replay', 'POST', {
          filter: {},
          continuation,
        });
        continuation = answer.continuation;
      } while (continuation !== null);
    };
    const shopRows = async () => (await stack.rows()).filter(({ table }) => !table.endsWith('Employees'));

    await bury();
    await replayAll();
    const once = await shopRows();
    assert.ok(once.length > 5);
    assert.deepEqual(await stack.documents('deadletters'), []);

    const load = [...shopEvents({ seed: 12, changes: 200 })].map((event) => {
      return renderJson({
        ...event,
        table: { ...event.table, db: 'OtherShop', logicalPrefix: `other-${event.table.tbl}` },
      });
    });
    const before = (await stack.cesStatus())?.received ?? 0;
    const sending = (async () => {
      // The same events again and others, while the letters are replayed.
      for (let start = 0; start < load.length; start += 100) {
        await stack.send([...load.slice(start, start + 100), ...bodies.slice(0, 20)]);
      }
    })();
    for (let round = 0; round < 3; round++) {
      await bury();
      await replayAll();
    }
    await sending;
    const expected = before + load.length + Math.ceil(load.length / 100) * 20;
    await eventually(
      () => stack.cesStatus(),
      (numbers) => (numbers?.received ?? 0) >= expected,
      { patienceMs: 60_000 },
    );
    const own = (await shopRows()).filter(({ table }) => !table.includes('OtherShop'));
    assert.deepEqual(own, once);
    assert.deepEqual(await stack.documents('deadletters'), []);
  });
});
