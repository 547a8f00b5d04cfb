import type { NormalizedChange } from '../change/change.ts';
import type { ArrivalDelivery, PendingChange } from '../ingest/arrival.ts';
import { arrivalText } from '../ingest/arrivalToken.ts';
import type { Arrivals } from '../ingest/arrivedBefore.ts';
import type { Delivery, Outcome, RawRecord } from '../ingest/delivery.ts';
import type { Intake } from '../ingest/pipeline.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import { RequestClock } from '../ingest/requestClock.ts';

/** A record, and the change or the fault that it came to. */
export interface DecodedRecord extends RawRecord {
  /** Place in the request. */
  readonly index: number;
  readonly decoded: NormalizedChange | PendingChange | UnprocessableError;
}

/**
 * Makes the changes of one stream durable. Captured changes know their order, rows of a load get theirs by arrival, and each
 * kind has its way in. Rows converge whichever kind goes first, save where a change moves a row and has to find it as it
 * was: then the kinds take turns as they stand in the request.
 */
export class ChangeWriter {
  readonly #stream: string;
  readonly #pipeline: Pick<Intake, 'ingest'>;
  readonly #arrivals: Arrivals;

  constructor(stream: string, pipeline: Pick<Intake, 'ingest'>, arrivals: Arrivals) {
    this.#stream = stream;
    this.#pipeline = pipeline;
    this.#arrivals = arrivals;
  }

  /** Outcomes stand in the order of `records`. `clockMs`: when the request came in. Throws StoreUnavailableError. */
  async write(records: readonly DecodedRecord[], clockMs: number): Promise<Outcome[]> {
    const clock = new RequestClock(clockMs);
    const outcomes = new Map<DecodedRecord, Outcome>();
    for (const run of runsOf(records)) {
      const results = await this.#writeRun(run, clock);
      run.forEach((record, position) => {
        const outcome = results[position];
        if (outcome !== undefined) outcomes.set(record, outcome);
      });
    }
    return records.map((record) => outcomes.get(record) ?? { outcome: 'ignored' });
  }

  async #writeRun(run: readonly DecodedRecord[], clock: RequestClock): Promise<Outcome[]> {
    if (!isLoadRun(run)) {
      const placed = run.filter(isPlaced).map((record) => withArrivalOfFault(record, clock));
      return this.#pipeline.ingest('qlik', this.#stream, placed);
    }
    const waited = run.flatMap((record) => {
      const { arrival } = record;
      return isArriving(record) && arrival !== undefined ? [{ ...record, arrival }] : [];
    });
    // Records of a request are all new, or have all waited.
    if (waited.length > 0) return this.#arrivals.replay('qlik', this.#stream, waited);
    return this.#arrivals.ingest('qlik', this.#stream, run.filter(isArriving), clock);
  }
}

/** HTTP tells no order of faults, and as dead letters they are to be replayed as they came. */
function withArrivalOfFault<Placed extends DecodedRecord>(record: Placed, clock: RequestClock): Placed {
  if (record.arrival !== undefined || !(record.decoded instanceof UnprocessableError)) return record;
  return { ...record, arrival: arrivalText(clock.nowMs, record.index) };
}

function runsOf(records: readonly DecodedRecord[]): readonly (readonly DecodedRecord[])[] {
  const moves = records.some(
    ({ decoded }) => !(decoded instanceof UnprocessableError) && decoded.movedFrom !== undefined,
  );
  if (!moves) {
    // Most often a load comes before what was captured meanwhile, and none of its rows is stale then.
    const byKind = [records.filter(isArriving), records.filter((record) => !isArriving(record))];
    return byKind.filter((run) => run.length > 0);
  }
  const runs: DecodedRecord[][] = [];
  for (const record of records) {
    const run = runs.at(-1);
    if (run !== undefined && isLoadRun(run) === isArriving(record)) run.push(record);
    else runs.push([record]);
  }
  return runs;
}

function isLoadRun([first]: readonly DecodedRecord[]): boolean {
  return first !== undefined && isArriving(first);
}

function isArriving(
  record: DecodedRecord,
): record is DecodedRecord & ArrivalDelivery & { readonly decoded: PendingChange } {
  return !(record.decoded instanceof UnprocessableError) && 'order' in record.decoded;
}

function isPlaced(record: DecodedRecord): record is DecodedRecord & Delivery {
  return !isArriving(record);
}
