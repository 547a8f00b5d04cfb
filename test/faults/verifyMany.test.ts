import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { verify } from '../../cli/verify.ts';
import { applyTo, documentOf, unseen } from '../../shared/change/rowDocument.ts';
import { tokenOf } from '../../shared/change/tokens.ts';
import { type CliFolder, openCliFolder } from '../cli/runCli.ts';
import { startTestStore, type TestStore } from '../shared/testStore.ts';

const ROWS = 100_000;
const ROWS_PER_WRITE = 2_000;
const TABLE = 'ces/ces/Shop.dbo.Many';
const TYPES = 'Id=int,Price=decimal(10,2),At=datetime2(7),Note=nvarchar(50)';

const columnsOf = (id: number) => {
  return { Id: id, Price: `${id}.50`, At: '2026-08-07T16:25:00.8833333', Note: `note, "${id}"` };
};

/** What is wrong in the extract, by row. */
const PLANTED = new Map<number, Partial<Record<'Price' | 'At', string>> | 'left out'>([
  [31_415, 'left out'],
  [50_000, { Price: '0.50' }],
  [75_000, { At: '2026-08-07T16:25:00.883' }],
  [99_999, { Price: '99999.5' }],
]);

describe('verifying a hundred thousand rows', () => {
  let store: TestStore;
  let cli: CliFolder;
  before(async () => {
    store = await startTestStore();
    cli = await openCliFolder();
    const { rows } = await store.open();
    for (let start = 1; start <= ROWS; start += ROWS_PER_WRITE) {
      const writes = Array.from({ length: ROWS_PER_WRITE }, (_, at) => ({
        document: rowNumber(start + at),
        etag: undefined,
      }));
      await rows.write(writes);
    }
  });
  after(async () => {
    await store.close();
    await cli.close();
  });

  function rowNumber(id: number) {
    const keys = { Id: id };
    const row = unseen(keys);
    const columns = Object.entries(columnsOf(id));
    const effect = { kind: 'full', token: tokenOf('0', 'full'), columns } as const;
    applyTo(row, { table: TABLE, id: String(id), keys, committedAt: null, effect });
    return documentOf({ id: String(id), table: TABLE, source: 'ces', stream: 'ces' }, row, '2026-08-07T00:00:00Z', 1);
  }

  test('finds what was planted, and nothing else, and says so in one screen', async () => {
    const lines = Array.from({ length: ROWS }, (_, at) => {
      const planted = PLANTED.get(at + 1);
      if (planted === 'left out') return '';
      const { Id, Price, At, Note } = { ...columnsOf(at + 1), ...planted };
      return `${Id},${Price},${At},"${Note.replaceAll('"', '""')}"\n`;
    });
    const file = await cli.file(
      'many.csv',
      `Id,Price,At,Note\n${lines.join('')}${ROWS + 1},1.00,2026-01-01T00:00:00,new\n`,
    );
    const { cosmos } = store.config;
    const environment = {
      COSMOS_ENDPOINT: cosmos.endpoint,
      COSMOS_KEY: cosmos.key ?? '',
      AzureWebJobsStorage: 'UseDevelopmentStorage=true',
    };
    const { code, output } = await cli.run(
      verify,
      [file, '--table', TABLE, '--key', 'Id', '--types', TYPES],
      environment,
    );
    assert.equal(code, 1);
    assert.deepEqual(output.split('\n'), [
      `${TABLE}: 99,999 rows compared, 1 missing, 1 extra, 3 different`,
      'missing    100001',
      'extra      31415',
      '',
      'column  other value  other precision  absent',
      'Price             1                1       0',
      'At                0                1       0',
      '',
      'row    column  differs in  source has               row has',
      '50000  Price   value       0.50                     50000.50',
      '75000  At      precision   2026-08-07T16:25:00.883  2026-08-07T16:25:00.8833333',
      '99999  Price   precision   99999.5                  99999.50',
    ]);
  });
});
