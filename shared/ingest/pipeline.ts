import type { NormalizedChange, Source } from '../change/change.ts';
import { type RowChange, rowChangeOf } from '../change/effect.ts';
import { canonicalJson } from '../change/json.ts';
import type { Config } from '../config.ts';
import type { RowAddress } from '../store/rows.ts';
import type { Store } from '../store/store.ts';
import { clockOfArrival } from './arrivalToken.ts';
import { type ChangeOutcome, outcomeOf, refused } from './changeOutcome.ts';
import { deadLetterOf, deadLetterOfPieces, type Verdict } from './deadLetter.ts';
import type { Delivery, Outcome, RawRecord } from './delivery.ts';
import { Moves } from './moves.ts';
import { UnprocessableError } from './reasons.ts';
import { type Recorder, recordAll, recordFirst, WITHOUT_HISTORY } from './recorders.ts';
import type { RequestClock } from './requestClock.ts';
import { type MergeOptions, type RowsRead, RowWriter } from './rowWriter.ts';
import { type Candidate, type Run, runsOf } from './runs.ts';
import type { TableFloors } from './tableFloors.ts';

/** Fewer take hardly more requests than to find out which moves are known. */
const MIN_RUNS_TO_RECALL = 3;

/**
 * What every source does with its decoded records. When `ingest` resolves, each effect of each delivery is durable and
 * the source may acknowledge; when it throws, nothing is lost and nothing doubled if the same deliveries come again:
 * 1. Records that cannot be changes become dead letters.
 * 2. Changes are written to `changes`. One that is there already is a duplicate, and goes on all the same: the first
 *    attempt may have died between this step and the next.
 * 3. Changes are merged into `rows`, which are read while step 2 is under way: they are written only as they were read.
 * A document that Cosmos DB refuses for what is in it makes a dead letter of its delivery and harms no other.
 */
export class Pipeline {
  readonly #store: Store;
  readonly #rowWriter: RowWriter;
  readonly #moves: Moves;
  readonly #recorder: Recorder;
  readonly #moveRecorder: Recorder;

  constructor(store: Store, config: Config) {
    this.#store = store;
    this.#rowWriter = new RowWriter(store.rows, config.tombstoneTtlSeconds);
    this.#moves = new Moves(store, this.#rowWriter);
    this.#recorder = config.changesHistory === 'on' ? recordAll(store.changes) : WITHOUT_HISTORY;
    this.#moveRecorder = recordFirst(store.changes);
  }

  /** Outcomes stand in the order of `deliveries`. Throws StoreUnavailableError. */
  async ingest(
    source: Source,
    stream: string,
    deliveries: readonly Delivery[],
    { recorder, floors, read, checkTime, clock }: IngestOptions = {},
  ): Promise<Outcome[]> {
    const outcomes = new Array<Outcome>(deliveries.length);
    const rejected: Rejection[] = [];
    const candidates: Candidate[] = [];
    deliveries.forEach((delivery, index) => {
      const { decoded } = delivery;
      if (!(decoded instanceof UnprocessableError)) candidates.push({ index, change: decoded });
      else
        rejected.push({
          index,
          delivery,
          verdict: { source, stream, reason: decoded.reason, detail: decoded.message },
        });
    });
    let isFirst = true;
    for (const run of await this.#runsOf(candidates)) {
      if (!isFirst) checkTime?.();
      const options = { floors, read: isFirst ? read : undefined };
      const results = await this.#applyRun(source, stream, run, recorder, options);
      isFirst = false;
      results.forEach((result, position) => {
        const index = run.candidates[position]?.index ?? -1;
        const delivery = deliveries[index];
        if (typeof result === 'string') outcomes[index] = { outcome: result };
        else if (delivery !== undefined) {
          const verdict = { source, stream, reason: 'store-rejected', detail: result.rejected } as const;
          rejected.push({ index, delivery, verdict });
        }
      });
    }
    for (const { index, outcome } of await this.#deadLetter(rejected, clock)) outcomes[index] = outcome;
    return outcomes;
  }

  /** Keeps what is known of a record that came in pieces, or adds the pieces to it. Throws StoreUnavailableError. */
  async deadLetterPieces(verdict: Verdict, name: string, pieces: readonly RawRecord[]): Promise<Outcome> {
    const document = deadLetterOfPieces(verdict, name, pieces);
    await this.#store.deadLetters.join(document);
    return deadLettered(verdict, document.id);
  }

  async #deadLetter(
    found: readonly Rejection[],
    clock: RequestClock | undefined,
  ): Promise<{ readonly index: number; readonly outcome: Outcome }[]> {
    const rejected = found.toSorted((a, b) => a.index - b.index);
    const documents = await Promise.all(
      rejected.map(async ({ delivery, verdict }) => {
        if (delivery.pieces === undefined) return deadLetterOf(verdict, delivery);
        return deadLetterOfPieces(verdict, canonicalJson(delivery.position), await delivery.pieces());
      }),
    );
    if (clock === undefined) await this.#store.deadLetters.keep(documents);
    else
      for (const arrival of await this.#store.deadLetters.keepInOrder(documents)) clock.pass(clockOfArrival(arrival));
    return rejected.map(({ index, verdict }, position) => {
      return { index, outcome: deadLettered(verdict, documents[position]?.id ?? '') };
    });
  }

  /**
   * Moves that touch each other are a run each, at a dozen requests to the store. So where there are several, those that are
   * recorded already are found first, and go together: a batch that was cut off must get past them when it comes again.
   */
  async #runsOf(candidates: readonly Candidate[]): Promise<readonly Run[]> {
    const runs = runsOf(candidates);
    const moving = runs.filter(({ kind }) => kind === 'moves').flatMap((run) => run.candidates);
    if (runs.length < MIN_RUNS_TO_RECALL || moving.length === 0) return runs;
    const known = await this.#moves.recall(moving.map(({ change }) => change));
    const knownOf = new Map(moving.map((candidate, position) => [candidate.index, known[position]]));
    const all = candidates.map((candidate) => ({ ...candidate, known: knownOf.get(candidate.index) }));
    // Known moves read no row, so what stands between them need not keep them apart.
    return runsOf([
      ...all.filter(({ known }) => known !== undefined),
      ...all.filter(({ known }) => known === undefined),
    ]);
  }

  #applyRun(
    source: Source,
    stream: string,
    { kind, candidates }: Run,
    recorder: Recorder | undefined,
    { floors, read }: MergeOptions,
  ): Promise<ChangeOutcome[]> {
    const changes = candidates.map(({ change }) => change);
    const moveRecorder = recorder ?? this.#moveRecorder;
    switch (kind) {
      case 'plain':
        return this.#applyPlain(source, stream, changes, recorder ?? this.#recorder, { floors, read });
      case 'moves':
        return this.#moves.apply(source, stream, changes, moveRecorder, floors);
      case 'knownMoves': {
        const known = candidates.flatMap((candidate) => candidate.known ?? []);
        return this.#moves.complete(source, stream, known, moveRecorder, floors);
      }
    }
  }

  /** Records and merges changes that stay at their keys. */
  async #applyPlain(
    source: Source,
    stream: string,
    changes: readonly NormalizedChange[],
    recorder: Recorder,
    { floors, read }: MergeOptions,
  ): Promise<ChangeOutcome[]> {
    const reading = read === undefined ? this.#rowWriter.read(rowsOf(changes)) : Promise.resolve(read);
    // Its failure is heard when it is waited for, below; that nobody does so yet must not end the process.
    reading.catch(() => undefined);
    const recorded = await recorder.record(changes);
    const outcomes = new Array<ChangeOutcome>(changes.length);
    const rows: { readonly index: number; readonly row: RowChange }[] = [];
    recorded.forEach(({ change, result }, index) => {
      const row = rowChangeOf(change);
      if (typeof result === 'object') outcomes[index] = refused('change', result.rejected);
      else if (row === undefined) outcomes[index] = result === 'known' ? 'duplicate' : 'applied';
      else rows.push({ index, row });
    });
    const merged = await this.#rowWriter.apply(
      source,
      stream,
      rows.map(({ row }) => row),
      { floors, read: await reading },
    );
    rows.forEach(({ index }, position) => {
      const result = merged[position] ?? 'unchanged';
      const known = recorded[index]?.result ?? 'created';
      if (typeof result === 'object') outcomes[index] = refused('row', result.rejected);
      else if (typeof known === 'string') outcomes[index] = outcomeOf(result, known);
    });
    return outcomes;
  }
}

/** What sources use of the pipeline. */
export type Intake = Pick<Pipeline, 'ingest' | 'deadLetterPieces'>;

/** Where a source differs from what most do. */
export interface IngestOptions {
  /** How its changes are recorded. */
  readonly recorder?: Recorder;
  readonly floors?: TableFloors | undefined;
  /** Rows that the source has just read. */
  readonly read?: RowsRead | undefined;
  /** Of records whose order their arrival decides and that come for the first time: it passes those that become dead letters. */
  readonly clock?: RequestClock;
  /** Called between steps whose number depends on the batch; what it throws ends the work there. */
  readonly checkTime?: () => void;
}

interface Rejection {
  /** Position of the delivery in its batch. */
  readonly index: number;
  readonly delivery: Delivery;
  readonly verdict: Verdict;
}

function rowsOf(changes: readonly NormalizedChange[]): readonly RowAddress[] {
  return changes.filter(({ keys }) => keys !== null).map(({ table, key }) => ({ table, id: key }));
}

function deadLettered({ reason, detail }: Verdict, deadLetterId: string): Outcome {
  return { outcome: 'deadLettered', reason, detail, deadLetterId };
}
