import { pointOfSale } from '../local/samples/goldengate/pointOfSale.ts';
import type { PosEvent, PosTable } from '../local/samples/goldengate/posEvent.ts';
import { dataRecord } from '../local/samples/goldengate/renderStream.ts';
import { splitBody } from '../shared/body/parts.ts';
import { DEFAULT_GOLDENGATE_STREAM } from '../shared/config.ts';
import type { TableKnowledge } from '../shared/goldengate/dataChange.ts';
import { StreamReader } from '../shared/goldengate/stream.ts';
import { UnprocessableError } from '../shared/ingest/reasons.ts';

export const name = 'goldengate';

/** Floor and subject take turns in slices this long, so that a noisy neighbour harms both alike. */
const SLICE_MS = 100;
const MICROSECONDS_PER_SECOND = 1_000_000;
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
  const reader = new StreamReader('bench', DEFAULT_GOLDENGATE_STREAM, { nestingLevels: NESTING_LEVELS });
  const floor = (frame: Buffer) => JSON.stringify(JSON.parse(frame.toString()));
  const subject = (frame: Buffer) => takeIn(frame, reader);
  for (const warmed of [floor, subject]) rateOver(warmed, frames, milliseconds / 10);
  const rates: [number, number][] = [];
  for (let spent = 0; spent < milliseconds; spent += 2 * SLICE_MS) {
    rates.push([rateOver(floor, frames, SLICE_MS), rateOver(subject, frames, SLICE_MS)]);
  }
  const perFrame = records / frames.length;
  const floorRate = median(rates.map(([rate]) => rate));
  const rate = median(rates.map(([, own]) => own));
  const megabytes = (rate * bytes) / frames.length / 1_000_000;
  return `${label}: ${thousands(rate * perFrame)} records/s (${Math.round(megabytes)} MB/s), ratio ${(rate / floorRate).toFixed(2)} to JSON.parse + JSON.stringify (${thousands(floorRate * perFrame)} records/s)`;
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

/** Frames per second of this thread's own time, so that other work on the machine does not count. */
function rateOver(work: (frame: Buffer) => unknown, frames: readonly Buffer[], milliseconds: number): number {
  const start = performance.now();
  const startCpu = process.threadCpuUsage();
  let done = 0;
  while (performance.now() - start < milliseconds) {
    for (const frame of frames) {
      work(frame);
      done++;
    }
  }
  const { user, system } = process.threadCpuUsage(startCpu);
  return (done * MICROSECONDS_PER_SECOND) / (user + system);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function thousands(rate: number): string {
  return `${Math.round(rate / 1_000)},000`;
}
