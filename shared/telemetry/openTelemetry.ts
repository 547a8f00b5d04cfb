import { type Counter, type Gauge, type Meter, SpanStatusCode, type Tracer } from '@opentelemetry/api';
import type { Source } from '../change/change.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Counts } from '../ingest/streamCounters.ts';
import type { Status, StreamStatus } from '../operate/status.ts';
import { BATCH_SPAN, METRICS } from './metricNames.ts';
import type { Telemetry } from './telemetry.ts';

/** The lag of a stream that has not moved for so long says how old its last change is, and no longer how far it is behind. */
const MOVED_LATELY_MS = 120_000;
const MS_PER_SECOND = 1_000;
/** Counts that are told as metrics of their own, or as sums of the others. */
const NOT_OUTCOMES: ReadonlySet<string> = new Set(['received', 'bytes'] satisfies (keyof Counts)[]);

type GaugeName = Exclude<keyof typeof METRICS, 'records' | 'bytes' | 'invocations'>;
type Gauges = Readonly<Record<GaugeName, number | null>>;

/** Telemetry over the interface of OpenTelemetry, whatever collects it. */
export class OpenTelemetryReporter implements Telemetry {
  readonly #tracer: Tracer;
  readonly #meter: Meter;
  readonly #records: Counter;
  readonly #bytes: Counter;
  readonly #invocations: Counter;
  readonly #gauges = new Map<string, Gauge>();

  constructor(meter: Meter, tracer: Tracer) {
    this.#meter = meter;
    this.#tracer = tracer;
    this.#records = meter.createCounter(METRICS.records);
    this.#bytes = meter.createCounter(METRICS.bytes, { unit: 'By' });
    this.#invocations = meter.createCounter(METRICS.invocations);
  }

  batch(source: Source, stream: string, records: number, work: () => Promise<Outcome[]>): Promise<Outcome[]> {
    return this.#tracer.startActiveSpan(BATCH_SPAN, { attributes: { source, stream, records } }, async (span) => {
      try {
        const outcomes = await work();
        for (const [outcome, group] of Map.groupBy(outcomes, ({ outcome }) => outcome)) {
          span.setAttribute(outcome, group.length);
        }
        return outcomes;
      } catch (error) {
        // The name alone: what else an error says is for the log of the function, which names positions and reasons.
        span.setStatus({ code: SpanStatusCode.ERROR, message: error instanceof Error ? error.name : 'Error' });
        throw error;
      } finally {
        span.end();
      }
    });
  }

  counted(source: Source, stream: string, added: Readonly<Counts>): void {
    this.#bytes.add(added.bytes, { source, stream });
    for (const [outcome, count] of Object.entries(added)) {
      if (count > 0 && !NOT_OUTCOMES.has(outcome)) this.#records.add(count, { source, stream, outcome });
    }
  }

  ran(functionName: string, outcome: 'ok' | 'failed'): void {
    this.#invocations.add(1, { function: functionName, outcome });
  }

  status({ streams }: Status, now = Date.now()): void {
    for (const each of streams) {
      for (const [name, value] of Object.entries(gaugesOf(each, now)) as [GaugeName, number | null][]) {
        if (value !== null) this.#gauge(METRICS[name]).record(value, { source: each.source, stream: each.stream });
      }
    }
  }

  #gauge(name: string): Gauge {
    const known = this.#gauges.get(name) ?? this.#meter.createGauge(name);
    this.#gauges.set(name, known);
    return known;
  }
}

function gaugesOf(stream: StreamStatus, now: number): Gauges {
  const { updatedAt, oldestIncompleteAt, partitions } = stream;
  const hasMoved = updatedAt !== null && now - Date.parse(updatedAt) < MOVED_LATELY_MS;
  return {
    lag: hasMoved ? stream.lagSeconds : null,
    incompleteEvents: stream.incompleteEvents,
    oldestIncomplete: oldestIncompleteAt === null ? 0 : (now - Date.parse(oldestIncompleteAt)) / MS_PER_SECOND,
    parked: stream.parkedNow,
    deadLetters: stream.deadLettersNow,
    gaps: stream.gaps,
    waitingEvents: partitions?.reduce((sum, { waitingEvents }) => sum + waitingEvents, 0) ?? null,
    blocked: stream.error === null ? 0 : 1,
  };
}
