import type { StreamStatus, TableSummary } from '../contract.ts';
import { type Rate, STANDSTILL, streamKey } from '../rates.ts';
import type { Snapshot } from '../snapshot.ts';
import { SOURCES, sourceIndex } from '../sources.ts';

export interface FlowSource {
  readonly source: string;
  readonly title: string;
  readonly kind: string;
  readonly streams: number;
  readonly rate: Rate;
  /** Of the stream that is behind most. */
  readonly lagSeconds: number | null;
  readonly state: 'flowing' | 'quiet' | 'in trouble' | 'no stream';
}

export interface Flow {
  readonly sources: readonly FlowSource[];
  /** The largest tables, by source and size. */
  readonly tables: readonly TableSummary[];
  readonly moreTables: number;
  readonly hasUncountedTables: boolean;
  readonly appliedPerSecond: number;
  readonly waiting: number;
  readonly deadLetters: number;
}

export const MAX_TABLES_SHOWN = 6;

/** What the flow picture shows of the newest numbers. */
export function flowOf({ status, rates, tables, hasMoreTables }: Snapshot): Flow {
  const sources = SOURCES.map((each) => sourceOf(each, status.streams, rates));
  const all = [...(tables ?? [])].sort((a, b) => b.rows - a.rows);
  const shown = all
    .slice(0, MAX_TABLES_SHOWN)
    .sort((a, b) => (sourceIndex(a.source) ?? -1) - (sourceIndex(b.source) ?? -1));
  return {
    sources,
    tables: shown,
    moreTables: all.length - shown.length,
    hasUncountedTables: hasMoreTables,
    appliedPerSecond: sources.reduce((sum, { rate }) => sum + rate.applied, 0),
    waiting: status.streams.reduce((sum, { incompleteEvents, parkedNow }) => sum + incompleteEvents + parkedNow, 0),
    deadLetters: status.deadLettersTotal,
  };
}

function sourceOf(
  { source, title, kind }: (typeof SOURCES)[number],
  all: readonly StreamStatus[],
  rates: ReadonlyMap<string, Rate>,
): FlowSource {
  const streams = all.filter((each) => each.source === source);
  const moving = streams.map((each) => rates.get(streamKey(each)) ?? STANDSTILL);
  const rate = {
    received: moving.reduce((sum, each) => sum + each.received, 0),
    applied: moving.reduce((sum, each) => sum + each.applied, 0),
  };
  const lags = streams.map(({ lagSeconds }) => lagSeconds).filter((lag) => lag !== null);
  const lagSeconds = lags.length === 0 ? null : Math.max(...lags);
  return { source, title, kind, streams: streams.length, rate, lagSeconds, state: stateOf(streams, rate) };
}

function stateOf(streams: readonly StreamStatus[], rate: Rate): FlowSource['state'] {
  if (streams.length === 0) return 'no stream';
  if (streams.some(({ error }) => error !== null)) return 'in trouble';
  return rate.received > 0 ? 'flowing' : 'quiet';
}
