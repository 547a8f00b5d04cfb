import type { NormalizedChange } from '../change/change.ts';
import type { PendingChange } from '../ingest/arrival.ts';
import { clockOfArrival } from '../ingest/arrivalToken.ts';
import type { Outcome } from '../ingest/delivery.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { ChangeWriter, DecodedRecord } from './changeWriter.ts';
import type { Load, Loads, Sighting } from './loads.ts';
import type { DataMessage, Operation } from './message.ts';
import { normalise, type Place, type TableFacts } from './normalise.ts';
import type { EncodedMessage } from './openRecord.ts';
import { readOperation } from './operations.ts';
import { type Resolved, type Resolver, unprocessable } from './resolve.ts';
import { later, NO_SEQUENCE, readSequence } from './sequence.ts';
import { waitForTable } from './waiting.ts';

/** A record that is a data message, or cannot be read. */
export interface DataRecord {
  readonly bytes: Uint8Array;
  /** Place in the request, from 0. */
  readonly index: number;
  /** Only of one that waited: when it came, and the greatest `changeSequence` that the stream had shown by then. */
  readonly arrival?: string;
  readonly shown?: string;
  readonly opened: DataMessage | EncodedMessage | UnprocessableError;
}

/** A record that has to wait, and the greatest `changeSequence` that the stream had shown when it came. */
export interface Waiting {
  readonly record: DataRecord;
  readonly waitingFor: string;
  readonly shown: string;
}

/** How some records are taken. */
export interface TakingContext {
  /** When the request came in, milliseconds since 1970. */
  readonly clockMs: number;
  /** The greatest sequence of records that waited along with these and arrived before them. */
  readonly shownBefore?: string;
  /** Makes the waiting of records durable; outcomes stand in their order. Called once, before anything else is durable. */
  readonly park: (waiting: readonly Waiting[]) => Promise<readonly Outcome[]>;
}

export interface TakenData {
  /** In the order of the records. */
  readonly outcomes: readonly Outcome[];
  /** Names that need not be waited for any more: a message itself showed its table's key. */
  readonly released: ReadonlySet<string>;
  /** The greatest sequence of the records and of those before them. */
  readonly shown: string;
}

/** What is worth counting besides outcomes. */
export interface TakingNotes {
  /** Messages with a mask that could not be used. */
  readonly ignoredMasks: number;
  /** Commit time of the newest change, ISO 8601. */
  readonly newestAt: string | null;
}

/** HTTP tells nothing of where a record stood that would be the same when it comes again. */
const NO_POSITION = {};

interface Judged {
  readonly message: DataMessage;
  readonly operation: Operation;
  readonly facts: TableFacts;
  /** Undefined for a row of a load. */
  readonly sequence: string | undefined;
}

/** A record that need not wait: a change, or a fault. */
interface Ready {
  readonly at: number;
  readonly judgement: Judged | UnprocessableError;
  /** Undefined for a fault. */
  readonly sighting: Sighting | undefined;
}

type Judgement = Judged | UnprocessableError | { readonly waitingFor: string };

/** Makes changes of the data messages of one stream, as far as their tables are known. */
export class DataTaker {
  readonly #stream: string;
  readonly #resolver: Resolver;
  readonly #loads: Loads;
  readonly #writer: ChangeWriter;
  #ignoredMasks = 0;
  #newestAt: string | null = null;

  constructor(stream: string, resolver: Resolver, loads: Loads, writer: ChangeWriter) {
    this.#stream = stream;
    this.#resolver = resolver;
    this.#loads = loads;
    this.#writer = writer;
  }

  /**
   * Records that wait are parked first, with what the stream had shown when they came: once the others are durable the
   * stream has shown more, and a row of a load that came again after a crash would seem to have come after them.
   * Throws StoreUnavailableError.
   */
  async take(records: readonly DataRecord[], context: TakingContext): Promise<TakenData> {
    const { clockMs, shownBefore = NO_SEQUENCE, park } = context;
    const released = new Set<string>();
    const sightings: Sighting[] = [{ kind: 'captured', sequence: shownBefore }];
    const ready: Ready[] = [];
    const waiting: (Waiting & { readonly at: number })[] = [];
    let shown = shownBefore;
    for (const [at, record] of records.entries()) {
      const resolved = await this.#resolve(record);
      const judgement = judged(resolved);
      if (!(resolved instanceof UnprocessableError) && 'learnt' in resolved)
        released.add(waitForTable(this.#stream, resolved.facts.name));
      const sighting = sightingOf(judgement, resolved, record, clockMs);
      if (sighting !== undefined) sightings.push(sighting);
      if (sighting?.kind === 'captured') shown = later(shown, sighting.sequence);
      if ('waitingFor' in judgement) waiting.push({ at, record, waitingFor: judgement.waitingFor, shown });
      else ready.push({ at, judgement, sighting });
    }
    const outcomes = new Array<Outcome>(records.length).fill({ outcome: 'parked' });
    const note = (places: readonly { readonly at: number }[], results: readonly Outcome[]) => {
      results.forEach((outcome, index) => {
        const place = places[index];
        if (place !== undefined) outcomes[place.at] = outcome;
      });
    };
    if (waiting.length > 0) note(waiting, await park(await this.#remembering(waiting)));
    const loads = await this.#loads.record(sightings);
    const decoded = ready.flatMap((each) => {
      const record = records[each.at];
      return record === undefined ? [] : [decodedRecord(record, this.#changeOf(each, loads))];
    });
    note(ready, await this.#writer.write(decoded, clockMs));
    return { outcomes, released, shown };
  }

  async #remembering(waiting: readonly Waiting[]): Promise<Waiting[]> {
    const stored = await this.#loads.greatest();
    return waiting.map((each) => ({ ...each, shown: each.record.shown ?? later(each.shown, stored) }));
  }

  /** Whether a message would still wait for `waitingFor`. Throws StoreUnavailableError. */
  async waits(record: DataRecord, waitingFor: string): Promise<boolean> {
    const resolved = await this.#resolve(record);
    return 'waitingFor' in resolved && resolved.waitingFor === waitingFor;
  }

  /** What has been noted since the last call. */
  takeNotes(): TakingNotes {
    const notes = { ignoredMasks: this.#ignoredMasks, newestAt: this.#newestAt };
    this.#ignoredMasks = 0;
    this.#newestAt = null;
    return notes;
  }

  async #resolve({ opened }: DataRecord): Promise<Resolved | UnprocessableError> {
    if (opened instanceof UnprocessableError) return opened;
    try {
      return await this.#resolver.resolve(opened);
    } catch (error) {
      return unprocessable(error);
    }
  }

  #changeOf(
    { judgement, sighting }: Ready,
    loads: ReadonlyMap<Sighting, Load>,
  ): NormalizedChange | PendingChange | UnprocessableError {
    if (judgement instanceof UnprocessableError) return judgement;
    const { message, operation, facts } = judgement;
    try {
      const change = normalise(this.#stream, message, operation, facts, placeOf(sighting, loads));
      this.#note(change);
      return change;
    } catch (error) {
      return unprocessable(error);
    }
  }

  #note({ origin, committedAt }: NormalizedChange | PendingChange): void {
    if (origin.ignoredMasks !== undefined) this.#ignoredMasks++;
    if (committedAt !== null && (this.#newestAt === null || committedAt > this.#newestAt)) this.#newestAt = committedAt;
  }
}

function judged(resolved: Resolved | UnprocessableError): Judgement {
  if (resolved instanceof UnprocessableError || 'waitingFor' in resolved) return resolved;
  const { message, facts } = resolved;
  try {
    const operation = readOperation(message.headers);
    const sequence = operation === 'REFRESH' ? undefined : readSequence(message.headers.changeSequence);
    return { message, operation, facts, sequence };
  } catch (error) {
    return unprocessable(error);
  }
}

/** A message that has to wait has shown its `changeSequence` all the same, where it can be read. */
function sightingOf(
  judgement: Judgement,
  resolved: Resolved | UnprocessableError,
  { arrival, shown }: DataRecord,
  clockMs: number,
): Sighting | undefined {
  if (judgement instanceof UnprocessableError || resolved instanceof UnprocessableError) return undefined;
  if (!('waitingFor' in judgement)) {
    const { sequence, facts } = judgement;
    if (sequence !== undefined) return { kind: 'captured', sequence };
    const arrivedMs = arrival === undefined ? clockMs : clockOfArrival(arrival);
    return { kind: 'load', table: facts.name, arrivedMs, ...(shown === undefined ? {} : { shown }) };
  }
  const sent = resolved.message?.headers.changeSequence;
  try {
    return sent === undefined || sent === '' ? undefined : { kind: 'captured', sequence: readSequence(sent) };
  } catch {
    return undefined;
  }
}

function placeOf(sighting: Sighting | undefined, loads: ReadonlyMap<Sighting, Load>): Place {
  if (sighting?.kind === 'captured') return sighting;
  const load = sighting && loads.get(sighting);
  if (load === undefined) throw new TypeError('every row of a load has been sighted');
  return { kind: 'load', load: load.load, base: load.base };
}

function decodedRecord({ bytes, index, arrival }: DataRecord, decoded: DecodedRecord['decoded']): DecodedRecord {
  return { position: NO_POSITION, bytes, index, decoded, ...(arrival === undefined ? {} : { arrival }) };
}
