import type {
  Change,
  DeadLetter,
  Minute,
  RowDocument,
  Status,
  StreamStatus,
  TableSummary,
} from '../../page/contract.ts';

/** An hour of a made-up company, as the API would tell it; and the same with markup wherever a name or value may stand. */

export const MARKUP = `"><img src=x onerror="window.pwned=1"><script>window.pwned=2</script>'&amp;`;

const MS_PER_MINUTE = 60_000;
const SECOND_MS = 1_000;
const NOTHING = { duplicate: 0, stale: 0, parked: 0, segments: 0, deadLettered: 0 };

function ago(ms: number): string {
  return new Date(Date.now() - ms).toISOString();
}

function minutes(base: number, seed: number): Minute[] {
  return Array.from({ length: 60 }, (_, index) => {
    const wave = 1 + 0.5 * Math.sin((index + seed) / 6) + 0.25 * Math.sin((index * seed) / 3);
    const applied = Math.round(base * wave);
    const deadLettered = index % 23 === seed ? 3 : 0;
    const duplicate = index % 17 === seed ? Math.round(base / 2) : Math.round(base / 30);
    const segments = Math.round(base / 12);
    const received = applied + deadLettered + duplicate + segments;
    return { at: ago((59 - index) * MS_PER_MINUTE), ...NOTHING, received, applied, duplicate, segments, deadLettered };
  });
}

function stream(source: string, name: string, given: Partial<StreamStatus>): StreamStatus {
  return {
    source,
    stream: name,
    received: 0,
    applied: 0,
    duplicate: 0,
    stale: 0,
    parked: 0,
    deadLettered: 0,
    bytes: 0,
    requestUnits: 0,
    throttled: 0,
    lagSeconds: null,
    incompleteEvents: 0,
    oldestIncompleteAt: null,
    pendingSegments: 0,
    parkedNow: 0,
    oldestParkedAt: null,
    partitions: null,
    error: null,
    updatedAt: ago(2 * SECOND_MS),
    instances: [{ instance: 'a', updatedAt: ago(2 * SECOND_MS) }],
    minutes: [],
    ...given,
  };
}

/** `moved`: how many events have come since the start. */
export function status(moved: number, deadLettersTotal: number, name = 'sales'): Status {
  const applied = 184_220 + moved;
  return {
    generatedAt: new Date().toISOString(),
    deadLettersTotal,
    timers: [
      { name: 'sweep', lastRunAt: ago(31 * SECOND_MS), late: false, error: null },
      { name: 'changeFeed', lastRunAt: ago(12 * MS_PER_MINUTE), late: true, error: null },
    ],
    streams: [
      stream('ces', name, {
        received: applied + 4_300,
        applied,
        duplicate: 4_102,
        stale: 195,
        deadLettered: 3,
        requestUnits: 1_942_330,
        throttled: 12,
        lagSeconds: 0.8,
        incompleteEvents: 2,
        pendingSegments: 7,
        oldestIncompleteAt: ago(7 * MS_PER_MINUTE),
        minutes: minutes(240, 5),
        instances: [
          { instance: 'a', updatedAt: ago(SECOND_MS) },
          { instance: 'b', updatedAt: ago(3 * SECOND_MS) },
        ],
      }),
      stream('ces', 'hr.eu', { received: 912, applied: 912, lagSeconds: 1.4, requestUnits: 10_422 }),
      stream('blob', 'archive2026', {
        received: 20_131 + Math.round(moved / 9),
        applied: 20_131,
        lagSeconds: 141,
        minutes: minutes(30, 3),
        requestUnits: 310_992,
      }),
      stream('goldengate', 'pos', {
        received: 9_400 + Math.round(moved / 3),
        applied: 9_102,
        duplicate: 290,
        deadLettered: 2,
        parkedNow: 14,
        oldestParkedAt: ago(4 * MS_PER_MINUTE),
        parked: 20,
        lagSeconds: 3.2,
        minutes: minutes(80, 9),
        requestUnits: 121_004,
        error: 'went on after a gap: the segment 2026/08/07/1600 is gone',
      }),
    ],
  };
}

export const TABLES: readonly TableSummary[] = [
  table('ces/sales/Shop.dbo.Orders', 88_120, 1_203),
  table('ces/sales/Shop.dbo.OrderLines', 241_002, 3_022),
  table('ces/sales/Shop.dbo.Customers', 12_044, 12),
  table('ces/hr.eu/EmployeesDb.dbo.Employees', 912, 1),
  table('blob/archive2026/blobs', 20_131, 88),
  table('goldengate/pos/SALES.RECEIPTS', 9_102, 0),
  table('goldengate/pos/SALES.STORES', 41, 0),
];

export function table(name: string, rows: number, tombstones: number): TableSummary {
  const [source = '', stream = ''] = name.split('/');
  return { table: name, source, stream, rows, tombstones };
}

export function row(tableName: string, id: string, columns: RowDocument['row'], deleted = false): RowDocument {
  const [source = '', stream = ''] = tableName.split('/');
  const keys = Object.fromEntries(Object.entries(columns).slice(0, 1));
  const times = { committedAt: '2026-08-07T16:30:10.123Z', updatedAt: '2026-08-07T16:30:11.004Z' };
  return { id, table: tableName, keys, row: deleted ? {} : columns, deleted, token: 't', source, stream, ...times };
}

export function change(tableName: string, given: Partial<Change>): Change {
  return {
    table: tableName,
    op: 'update',
    image: 'partial',
    key: '8',
    keys: { Id: 8 },
    before: null,
    after: null,
    committedAt: '2026-08-07T16:30:10.123Z',
    transaction: { id: '000000B1:00000930:0009' },
    ...given,
  };
}

export function letter(id: string, given: Partial<DeadLetter> = {}): DeadLetter {
  const text = '{"specversion":"1.0","operation":"UPD","data":"{\\"eventsource\\":"}';
  return {
    id,
    stream: 'sales',
    source: 'ces',
    reason: 'no-key',
    explanation: 'Nothing says which columns are the key of this table, so the row cannot be told from others.',
    detail: 'the table SALES.RECEIPTS has no key columns in its metadata nor in the settings',
    position: { hub: 'sales', partition: '2', sequenceNumber: 8812, enqueuedAt: '2026-08-07T16:31:00.001Z' },
    byteLength: text.length,
    receivedAt: '2026-08-07T16:31:02.500Z',
    tries: 0,
    pieces: [],
    bytes: Buffer.from(text).toString('base64'),
    text,
    decoded: { error: { reason: 'undecodable', detail: 'data does not parse: unexpected end at character 16' } },
    ...given,
  };
}
