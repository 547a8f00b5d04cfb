import { pointOfSale } from '../local/samples/goldengate/pointOfSale.ts';
import type { PosEvent, PosTable } from '../local/samples/goldengate/posEvent.ts';
import { dataRecord } from '../local/samples/goldengate/renderStream.ts';
import { splitBody } from '../shared/body/parts.ts';
import { DEFAULT_GOLDENGATE_STREAM } from '../shared/config.ts';
import type { TableKnowledge } from '../shared/goldengate/dataChange.ts';
import { StreamReader } from '../shared/goldengate/stream.ts';
import { UnprocessableError } from '../shared/ingest/reasons.ts';
import { compete } from './contest/compete.ts';
import { thousands } from './contest/thousands.ts';

export const name = 'goldengate';

const NESTING_LEVELS = 100;
const ORDERS = 1_000;
/** A real stream's buffer is flushed at about a megabyte. */
const RECORDS_PER_FRAME = 2_000;

interface Contest {
  readonly label: string;
  readonly render: (event: PosEvent) => object;
}

/**
 * From the bytes of a frame to changes, against what no consumer can do without: parsing the frame and writing its JSON
 * for the database. One order in ten has a number of 38 digits, which the floor rounds and we do not.
 */
export async function run({ seconds }: { readonly seconds: number }): Promise<readonly string[]> {
  const events = [...pointOfSale({ seed: 1, orders: ORDERS })];
  const contests: readonly Contest[] = [
    { label: 'Data Streams', render: dataRecord },
    { label: 'CloudEvents', render: (event) => cloudEvent(event) },
    { label: 'classic, operation model', render: (event) => classicRecord(event) },
    { label: 'classic, row model', render: (event) => rowRecord(event) },
  ];
  return contests.map(({ label, render }) =>
    compare(label, framesOf(events, render), (2_000 * seconds) / contests.length),
  );
}

function compare(label: string, { frames, records, bytes }: Frames, milliseconds: number): string {
  const reader = new StreamReader('bench', DEFAULT_GOLDENGATE_STREAM, {
    nestingLevels: NESTING_LEVELS,
    recordsPerRequest: RECORDS_PER_FRAME,
  });
  const floor = (frame: Buffer) => JSON.stringify(JSON.parse(frame.toString()));
  const subject = (frame: Buffer) => takeIn(frame, reader);
  const rates = compete({ floor, subject }, frames, milliseconds);
  const perFrame = records / frames.length;
  const megabytes = (rates.subject * bytes) / frames.length / 1_000_000;
  return `${label}: ${thousands(rates.subject * perFrame)} records/s (${Math.round(megabytes)} MB/s), ratio ${(rates.subject / rates.floor).toFixed(2)} to JSON.parse + JSON.stringify (${thousands(rates.floor * perFrame)} records/s)`;
}

function takeIn(frame: Buffer, reader: StreamReader): number {
  let changes = 0;
  for (const part of splitBody(frame, { nestingLevels: NESTING_LEVELS })) {
    for (const { content, cloudEvent } of reader.read(part)) {
      if (content instanceof UnprocessableError) throw content;
      if (content.kind !== 'data') continue;
      const change = reader.maker.change(content, KNOWLEDGE.get(content.name) ?? NOTHING, cloudEvent);
      if (change === undefined) throw new Error('the benchmark knows every table');
      changes++;
    }
  }
  return changes;
}

const NOTHING: TableKnowledge = { key: undefined, columns: [], types: {} };
const KNOWLEDGE = new Map<string, TableKnowledge>();

function learn({ name: table, columns }: PosTable): void {
  const key = Object.entries(columns).filter(([, column]) => column.key === true);
  KNOWLEDGE.set(table, {
    key: key.map(([column, { type }]) => ({ name: column, type })),
    columns: Object.keys(columns),
    types: {},
  });
}

interface Frames {
  readonly frames: readonly Buffer[];
  readonly records: number;
  readonly bytes: number;
}

function framesOf(events: readonly PosEvent[], render: (event: PosEvent) => object): Frames {
  for (const { table } of events) learn(table);
  const frames: Buffer[] = [];
  for (let start = 0; start < events.length; start += RECORDS_PER_FRAME) {
    frames.push(Buffer.from(JSON.stringify(events.slice(start, start + RECORDS_PER_FRAME).map(render))));
  }
  return { frames, records: events.length, bytes: frames.reduce((sum, { byteLength }) => sum + byteLength, 0) };
}

function cloudEvent(event: PosEvent): object {
  return {
    specversion: '1.0',
    type: 'com.oracle.goldengate.datastream',
    source: 'uri:inst-prod::u01:ogg:bin:EXTPOSA',
    id: `OGG-${event.sequence}`,
    data: dataRecord(event),
  };
}

function classicHeader({ table, op, time, sequence }: PosEvent): object {
  return {
    table: table.name,
    op_type: op.slice(0, 1),
    op_ts: time.replace('T', ' ').replace('.000Z', '.000000'),
    current_ts: `${time.slice(0, -1)}312`,
    pos: `0000000021${String(sequence).padStart(10, '0')}`,
  };
}

function classicRecord(event: PosEvent): object {
  return { ...classicHeader(event), tokens: {}, before: event.before, after: event.after };
}

function rowRecord(event: PosEvent): object {
  return { ...classicHeader(event), ...(event.after ?? event.before) };
}
