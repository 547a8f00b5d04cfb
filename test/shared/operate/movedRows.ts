import { dataJson } from '../../../local/samples/qlik/renderJson.ts';
import { renderJson } from '../../../local/samples/render.ts';
import type { SampleEvent } from '../../../local/samples/sampleEvent.ts';
import { arrivalText } from '../../../shared/ingest/arrivalToken.ts';
import type { RawRecord } from '../../../shared/ingest/delivery.ts';
import { record } from '../goldengate/records.ts';
import { eventOf, NAME, PRICE, tableOf } from '../qlik/messages.ts';
import { hubMessage } from './buried.ts';

/** Rows are born at 1, 2, … and move to a key that is so much greater. */
const MOVES_BY = 1_000;
export const QLIK_TABLE = tableOf('moved', [NAME, PRICE]);

/**
 * Lives of rows, as each source tells them: an insert, an update of one column, and a change of the key that tells no other
 * column. The row at the new key is whole only if they are taken in in this order.
 */
export const MOVED_ROWS = {
  ces: (rows: number) => records(rows, cesLife).map((event) => hubMessage(renderJson(event))),
  goldengate: (rows: number) => arrived(records(rows, goldenGateLife).map((each) => JSON.stringify(each))),
  qlik: (rows: number) => arrived(records(rows, qlikLife).map(dataJson)),
} as const;

export type MovingSource = keyof typeof MOVED_ROWS;

/** What the rows of a source are in the end: id -> row, or `deleted`. */
export function endOf(source: MovingSource, rows: number): Record<string, unknown> {
  const last = Array.from({ length: rows }, (_, at) => {
    const id = at + 1;
    const row = {
      ces: { Id: id + MOVES_BY, A: 'a', B: 'later' },
      goldengate: { ID: id + MOVES_BY, A: 'a', B: 'later' },
      qlik: { ID: id + MOVES_BY, NAME: 'a', PRICE: '2.00' },
    }[source];
    return [
      [id, 'deleted'],
      [id + MOVES_BY, row],
    ] as const;
  });
  return Object.fromEntries(last.flat());
}

function records<Each>(rows: number, life: (id: number) => readonly Each[]): Each[] {
  return Array.from({ length: rows }, (_, at) => life(at + 1)).flat();
}

/** As the records of one request, an hour ago. */
function arrived(bodies: readonly string[]): RawRecord[] {
  const clockMs = Date.now() - 3_600_000;
  return bodies.map((body, index) => ({
    position: { index },
    bytes: Buffer.from(body),
    arrival: arrivalText(clockMs, index),
  }));
}

export function goldenGateLife(id: number): object[] {
  return [
    record('INSERT', 1, { primary_keys: ['ID'], after: { ID: id, A: 'a', B: 'b' } }),
    record('UPDATE', 2, { primary_keys: ['ID'], before: { ID: id }, after: { ID: id, B: 'later' } }),
    record('UPDATE', 3, { primary_keys: ['ID'], before: { ID: id }, after: { ID: id + MOVES_BY } }),
  ];
}

function qlikLife(id: number) {
  const at = id * 10;
  const move = eventOf(QLIK_TABLE, 'UPDATE', at + 2, { ID: id + MOVES_BY }, { ID: id });
  return [
    eventOf(QLIK_TABLE, 'INSERT', at, { ID: id, NAME: 'a', PRICE: '1.00' }),
    eventOf(QLIK_TABLE, 'UPDATE', at + 1, { ID: id, NAME: 'a', PRICE: '2.00' }),
    { ...move, uncaptured: new Set(['NAME', 'PRICE']) },
  ];
}

const CES_TABLE = {
  db: 'Shop',
  schema: 'dbo',
  tbl: 'Moved',
  columns: [
    { name: 'Id', type: 'int' },
    { name: 'A', type: 'nvarchar(50)' },
    { name: 'B', type: 'nvarchar(50)' },
  ],
  key: ['Id'],
  logicalPrefix: '2bf2756a-c15f-4d2e-a2d5-7d3f9dbf85b0',
};

function cesLife(id: number): SampleEvent[] {
  const born = { Id: id, A: 'a', B: 'b' };
  const event = (at: number, parts: Pick<SampleEvent, 'operation' | 'sentColumns' | 'old' | 'current'>) => ({
    ...parts,
    id: `${id}/${at}`,
    time: `2026-08-07T16:25:0${at}.000Z`,
    table: CES_TABLE,
    keys: { Id: id },
    sequenceNumber: 1,
    commitLsn: `000000B1:${String(id).padStart(8, '0')}:000${at}`,
    beginLsn: `000000B1:${String(id).padStart(8, '0')}:000${at}`,
  });
  return [
    event(1, { operation: 'INS', sentColumns: ['Id', 'A', 'B'], old: null, current: born }),
    event(2, { operation: 'UPD', sentColumns: ['Id', 'B'], old: { Id: id, B: 'b' }, current: { Id: id, B: 'later' } }),
    event(3, { operation: 'UPD', sentColumns: ['Id'], old: { Id: id }, current: { Id: id + MOVES_BY } }),
  ];
}
