import assert from 'node:assert/strict';
import { utimes } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import { deadletters } from '../../cli/deadletters.ts';
import { doctor } from '../../cli/doctor.ts';
import { load } from '../../cli/load.ts';
import { send } from '../../cli/send.ts';
import { status } from '../../cli/status.ts';
import { verify } from '../../cli/verify.ts';
import { EMPLOYEE_8, EMPLOYEE_8_DELETE, EMPLOYEE_8_INSERT, EMPLOYEE_8_UPDATE } from '../../local/samples/employee8.ts';
import { renderJson } from '../../local/samples/render.ts';
import type { SampleEvent } from '../../local/samples/sampleEvent.ts';
import { startFunction } from '../../local/sampleTraffic.ts';
import type { Columns } from '../../shared/change/json.ts';
import { type CliFolder, openCliFolder } from '../cli/runCli.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const TABLE = 'ces/ces/EmployeesDb.dbo.Employees';

let stack: TestStack;
let cli: CliFolder;
before(async () => {
  stack = await startTestStack({ TOMBSTONE_TTL_DAYS: '3650', PARKED_TIMEOUT_HOURS: '0.0000001' });
  cli = await openCliFolder(stack.description);
});
after(async () => {
  await stack.close();
  await cli.close();
});

const received = async (count: number) => {
  const found = await eventually(
    () => stack.cesStatus(),
    (numbers) => numbers?.received === count,
  );
  assert.equal(found?.received, count);
};

/** An event of employee 8 about another employee. */
function about(id: number, event: SampleEvent): SampleEvent {
  const withId = (row: Columns | null) => (row === null ? null : { ...row, Id: id });
  return {
    ...event,
    table: { ...event.table, logicalPrefix: `employee ${id}` },
    keys: { Id: id },
    old: withId(event.old),
    current: withId(event.current),
  };
}

const rowsById = async () => {
  const rows = (await stack.rows()).filter(({ table }) => table === TABLE);
  return Object.fromEntries(rows.map(({ id, row, deleted }) => [id, deleted ? 'deleted' : row]));
};

describe('the command line on a stack', () => {
  test('sends files and folders to the hub, and lines as an event each', async () => {
    await cli.file('events/1.json', renderJson(about(8, EMPLOYEE_8_INSERT)));
    await cli.file('events/2.json', renderJson(about(8, EMPLOYEE_8_UPDATE)));
    const lines = [EMPLOYEE_8_INSERT, EMPLOYEE_8_UPDATE].map((event) => renderJson(about(9, event)));
    await cli.file('events/3.ndjson', Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])));
    assert.deepEqual(await cli.run(send, [`${cli.path}/events`, '--partition', '0']), {
      code: 0,
      output: '4 events sent',
      notes: '',
    });
    await received(4);
  });

  test('shows the numbers, and what is in trouble', async () => {
    // Nobody has enabled the change feed of this account, and the timer that finds out may not have run yet.
    await startFunction(stack.description, 'changeFeed');
    const { code, output } = await eventually(
      () => cli.run(status, []),
      (answer) => answer.code !== 0,
    );
    assert.equal(code, 1);
    assert.match(output, /^stream .*\nces\/ces +4 +4 +0/);
    assert.match(output, /\n! blob\/devstoreaccount1: change feed is not enabled: [^\n]*\n?$/);
    const { output: json } = await cli.run(status, ['--json']);
    assert.equal(JSON.parse(json).streams[0].received, 4);
  });

  test('lists, shows, replays and purges dead letters', async () => {
    await stack.send([Buffer.from('no event'), Buffer.from('none either')], '0');
    await received(6);
    const { output } = await cli.run(deadletters, ['list', '--json']);
    const [letter] = JSON.parse(output).deadLetters;
    assert.match((await cli.run(deadletters, ['list', '--reason', 'undecodable'])).output, new RegExp(letter.id));
    assert.equal((await cli.run(deadletters, ['list', '--reason', 'no-key'])).output, 'there are no dead letters');
    const shown = await cli.run(deadletters, ['show', letter.id, '--stream', 'ces']);
    assert.match(shown.output, /undecodable[\s\S]*text:\nno/);
    const replayed = await cli.run(deadletters, ['replay', '--all']);
    assert.deepEqual([replayed.code, replayed.output.split('\n')[0]], [1, 'stillDead 2']);
    await assert.rejects(cli.run(deadletters, ['replay']), { name: 'UsageError' });
    await assert.rejects(cli.run(deadletters, ['purge', '--stream', 'ces']), { name: 'UsageError', message: /--yes/ });
    const one = await cli.run(deadletters, ['purge', letter.id, '--stream', 'ces', '--yes']);
    assert.equal(one.output, '1 dead letters deleted');
    // Of two that there have been.
    assert.match(
      (await cli.run(status, [])).output,
      /^stream .* parked now +dead now .*\nces\/ces +6 +4 +0 +0 +0 +0 +1 /,
    );
    const rest = await cli.run(deadletters, ['purge', '--stream', 'ces', '--yes', '--json']);
    assert.equal(rest.output, '{"deleted":1}');
  });

  test('sends to an endpoint, and makes the row of a dead letter when the catalog has been mended', async () => {
    const record = { qual_table: 'S.T', op_type: 'I', op_ts: '2026-08-07T10:00:00.000000Z', pos: 'G-1' };
    const data = await cli.file('data.json', JSON.stringify({ ...record, after: { ID: 1, NAME: 'x' } }));
    const endpoint = ['--endpoint', 'goldengate/pos'];
    assert.equal((await cli.run(send, [data, ...endpoint])).output, `${data}: received 1, parked 1`);
    await startFunction(stack.description, 'sweep');
    const listed = async () => (await cli.run(deadletters, ['list', '--stream', 'pos'])).output;
    assert.match(await eventually(listed, (text) => text.includes('no-key')), /goldengate\/pos +no-key/);
    const columns = {
      ID: { type: 'number', null: false, key: true },
      NAME: { type: 'string', null: true, key: false },
    };
    const metadata = { op_type: 'OBJECT_METADATA', qual_table: 'S.T', columns };
    await cli.run(send, [await cli.file('metadata.json', JSON.stringify(metadata)), ...endpoint]);
    const replayed = await cli.run(deadletters, ['replay', '--stream', 'pos']);
    assert.deepEqual([replayed.code, replayed.output], [0, 'replayed 1, applied 1']);
    assert.equal(await listed(), 'there are no dead letters');
    const rows = (await stack.rows()).filter(({ source }) => source === 'goldengate');
    assert.deepEqual(
      rows.map(({ table, row }) => [table, row]),
      [['goldengate/pos/S.T', { ID: 1, NAME: 'x' }]],
    );
    await assert.rejects(cli.run(send, [data, '--endpoint', 'elsewhere']), { name: 'UsageError' });
  });

  test('finds everything in order', async () => {
    const { code, output } = await cli.run(doctor, ['--json']);
    const { checks } = JSON.parse(output);
    const failed = checks.filter(({ ok }: { ok: boolean }) => !ok).map(({ name }: { name: string }) => name);
    // Nobody has enabled the change feed of this account.
    assert.deepEqual([code, failed], [1, ['change feed devstoreaccount1']]);
  });

  test('says what is wrong, each with a remedy', async () => {
    const wrong = { ...stack.description, cosmosEndpoint: 'http://127.0.0.1:9', functionKey: 'wrong' };
    const elsewhere = await openCliFolder(wrong);
    const { code, output } = await elsewhere.run(doctor, []);
    await elsewhere.close();
    assert.equal(code, 1);
    assert.match(output, /FAILED {2}Cosmos DB containers: .*\n {8}COSMOS_ENDPOINT/);
    assert.match(output, /FAILED {2}app key: the function key is missing or wrong/);
    const nowhere = await openCliFolder();
    const missing = await nowhere.run(doctor, []);
    await nowhere.close();
    assert.match(missing.output, /FAILED {2}settings: These settings need attention: .*COSMOS_ENDPOINT/);
  });
});

describe('loading the rows that were there before the stream began', () => {
  const HEADER = 'Id,FirstName,LastName,SignupDate\n';
  const line = (id: number, last: string) => `${id},Nikola,${last},2026-08-07 16:25:00.8833333\n`;
  const loaded = (id: number, last: string) => {
    return { Id: id, FirstName: 'Nikola', LastName: last, SignupDate: '2026-08-07T16:25:00.8833333' };
  };

  test('lets every change of the stream win, whether it came before or comes after', async () => {
    // 8 and 9 are there, renamed; 10 is deleted; 11 and 12 are not there yet.
    await stack.send(
      [about(10, EMPLOYEE_8_INSERT), about(10, EMPLOYEE_8_DELETE)].map((event) => renderJson(event)),
      '0',
    );
    await received(8);
    const file = await cli.file('employees.csv', HEADER + [8, 10, 11, 12].map((id) => line(id, 'Snapshot')).join(''));
    const { code, output } = await cli.run(load, [file, '--table', TABLE, '--json']);
    assert.deepEqual(
      [code, JSON.parse(output)],
      [0, { rows: 4, skipped: 0, applied: 2, duplicate: 0, stale: 2, deadLettered: 0, tooOld: 0 }],
    );
    await stack.send([renderJson(about(11, EMPLOYEE_8_UPDATE)), renderJson(about(12, EMPLOYEE_8_DELETE))], '0');
    await received(10);
    const expected = {
      8: { ...loaded(8, 'Nikolic-Smith') },
      9: { ...loaded(9, 'Nikolic-Smith') },
      10: 'deleted',
      11: { ...loaded(11, 'Nikolic-Smith') },
      12: 'deleted',
    };
    assert.deepEqual(await rowsById(), expected);
    const again = await cli.run(load, [file, '--table', TABLE, '--json']);
    assert.deepEqual([JSON.parse(again.output).applied, await rowsById()], [0, expected]);
  });

  test('ends as if the stream alone had told of it, whatever the order', async () => {
    const orders = [
      [0, 1, 2, 3],
      [3, 2, 1, 0],
      [1, 3, 0, 2],
      [2, 0, 3, 1],
    ];
    let sent = 10;
    for (const [index, order] of orders.entries()) {
      const id = 20 + index;
      const file = await cli.file(`one-${id}.csv`, HEADER + line(id, 'Snapshot'));
      for (const step of order) {
        const event = EMPLOYEE_8[step];
        if (event === undefined) await cli.run(load, [file, '--table', TABLE]);
        else {
          await stack.send([renderJson(about(id, event))], '0');
          await received(++sent);
        }
      }
    }
    const rows = await rowsById();
    assert.deepEqual(
      orders.map((_, index) => rows[20 + index]),
      orders.map(() => 'deleted'),
    );
  });

  test('refuses absent rows of an extract that is older than tombstones, unless it is forced', async () => {
    const file = await cli.file('old.csv', HEADER + line(8, 'Old') + line(30, 'Old'));
    await utimes(file, 1, 1);
    const refused = await cli.run(load, [file, '--table', TABLE, '--json']);
    const { stale, tooOld } = JSON.parse(refused.output);
    assert.deepEqual([refused.code, stale, tooOld], [1, 1, 1]);
    const forced = await cli.run(load, [file, '--table', TABLE, '--json', '--force']);
    assert.deepEqual([forced.code, JSON.parse(forced.output).applied], [0, 1]);
  });

  test('needs to know the types of the columns, as the stream will bring them', async () => {
    const file = await cli.file('new.csv', 'Id,Price,Note\n1,12.50,\n2,"1",""\n');
    const table = 'ces/ces/Shop.dbo.New';
    await assert.rejects(cli.run(load, [file, '--table', table, '--key', 'Id']), { message: /--types/ });
    await assert.rejects(cli.run(load, [file, '--table', 'New', '--key', 'Id']), { message: /--table is/ });
    const types = ['--types', 'Id=int,Price=decimal(10,2),Note=nvarchar(9)'];
    assert.equal((await cli.run(load, [file, '--table', table, '--key', 'Id', ...types])).code, 0);
    const rows = (await stack.rows()).filter((row) => row.table === table);
    assert.deepEqual(
      rows.map(({ id, keys, row }) => ({ id, keys, row })),
      [
        { id: '1', keys: { Id: 1 }, row: { Id: 1, Price: '12.50', Note: null } },
        { id: '2', keys: { Id: 2 }, row: { Id: 2, Price: '1', Note: '' } },
      ],
    );
  });
});

describe('verifying rows against an extract', () => {
  const table = 'ces/ces/Shop.dbo.Verified';
  const types = ['--types', 'Id=int,Price=decimal(10,2),At=datetime2(7),Note=nvarchar(50)'];
  const ROWS = 2_000;
  const lineOf = (id: number, price = `${id}.50`, fraction = '.8833333') =>
    `${id},${price},2026-08-07T16:25:00${fraction},"note, ${id}"\n`;
  const header = 'Id,Price,At,Note\n';
  const extract = (lines: (id: number) => string) =>
    header + Array.from({ length: ROWS }, (_, at) => lines(at + 1)).join('');

  test('says that they are equal', async () => {
    const file = await cli.file(
      'rows.csv',
      extract((id) => lineOf(id)),
    );
    assert.equal((await cli.run(load, [file, '--table', table, '--key', 'Id', ...types])).code, 0);
    const { code, output } = await cli.run(verify, [file, '--table', table, ...types]);
    assert.deepEqual([code, output.split('\n').at(-1)], [0, 'they are equal'], output);
  });

  test('finds a missing and an extra row, a changed value and a changed precision, in one screen', async () => {
    const changed = (id: number) => {
      if (id === 77) return '';
      if (id === 500) return lineOf(id, '0.50');
      if (id === 501) return lineOf(id, undefined, '.883');
      return id === 502 ? lineOf(id, '502.5') : lineOf(id);
    };
    const file = await cli.file('changed.csv', extract(changed) + lineOf(ROWS + 1));
    const { code, output } = await cli.run(verify, [file, '--table', table, '--json', ...types]);
    const report = JSON.parse(output);
    assert.deepEqual(
      [code, report.compared, report.missingIds, report.extraIds, report.columns],
      [1, ROWS - 1, [String(ROWS + 1)], ['77'], { Price: { value: 1, precision: 1 }, At: { precision: 1 } }],
    );
    const screen = (await cli.run(verify, [file, '--table', table, ...types])).output;
    assert.ok(screen.split('\n').length <= 24 && screen.split('\n').every((line) => line.length <= 140), screen);
    for (const part of ['1 missing, 1 extra, 3 different', 'missing    2001', 'extra      77', '0.50', '500.50']) {
      assert.ok(screen.includes(part), `${part} in\n${screen}`);
    }
  });

  test('reads NDJSON, and needs no types where the rows show what a value means', async () => {
    const lines = Array.from({ length: ROWS }, (_, at) => {
      const id = at + 1;
      return JSON.stringify({ Id: id, Price: `${id}.50`, At: '2026-08-07T16:25:00.8833333', Note: `note, ${id}` });
    });
    const file = await cli.file('rows.ndjson', lines.join('\n'));
    assert.equal((await cli.run(verify, [file, '--table', table, '--key', 'Id'])).code, 0);
    const csv = await cli.file(
      'rows.csv',
      extract((id) => lineOf(id)),
    );
    assert.equal((await cli.run(verify, [csv, '--table', table])).code, 0);
  });
});
