/**
 * The numbers that the app sends, by the names that the alerts and the workbook in infra/ ask for. Counters carry what was
 * added; gauges come once a minute, from the instance that runs `sweep`. None has a row's key or value.
 */
export const METRICS = {
  /** Counter. `source`, `stream`, `outcome`: records by what became of them. */
  records: 'tributary.records',
  /** Counter. `source`, `stream`: bytes taken in. */
  bytes: 'tributary.bytes',
  /** Counter. `function`, `outcome` (`ok`, `failed`): runs of functions. */
  invocations: 'tributary.invocations',
  /** Gauge, seconds. `source`, `stream`: how far the newest batch was behind, for streams that have moved lately. */
  lag: 'tributary.lag',
  /** Gauge: split events that lack segments. */
  incompleteEvents: 'tributary.incomplete_events',
  /** Gauge, seconds: age of the oldest of them; 0 when there is none. */
  oldestIncomplete: 'tributary.oldest_incomplete',
  /** Gauge: records that wait for their schema. */
  parked: 'tributary.parked',
  /** Gauge: dead letters that are there. */
  deadLetters: 'tributary.dead_letters',
  /** Gauge: stretches of the change feed that were lost. */
  gaps: 'tributary.gaps',
  /** Gauge: events in the hub that have not been taken, where the hub answers. */
  waitingEvents: 'tributary.waiting_events',
  /** Gauge: 1 while something keeps the stream from moving, otherwise 0. */
  blocked: 'tributary.blocked',
} as const;

/** The span of one batch in the pipeline; `source`, `stream`, `records` and a count per outcome are its attributes. */
export const BATCH_SPAN = 'tributary.batch';
