import { refuseOtherTypes } from '../body/contentType.ts';
import type { Deadline } from '../body/deadline.ts';
import type { IngestRequest } from '../body/ingestRequest.ts';
import { readableParts, tooManyRecords } from '../body/readableParts.ts';
import { type BodyLimits, readBody } from '../body/readBody.ts';
import { RequestError } from '../body/requestError.ts';
import type { GoldenGateStream } from '../config.ts';
import type { ArrivalPipeline } from '../ingest/arrival.ts';
import type { CatalogStorage } from '../ingest/catalogStore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Parking } from '../ingest/parking.ts';
import type { StreamCounters } from '../ingest/streamCounters.ts';
import type { Truncations } from '../ingest/truncations.ts';
import { GoldenGateCatalog } from './catalog.ts';
import { RecordTaker } from './recordTaker.ts';
import { type ReadRecord, StreamReader } from './stream.ts';
import { attributesInHeaders } from './unwrap.ts';
import { WaitingTables } from './waitingTables.ts';

export interface GoldenGateConsumerParts {
  readonly arrivals: ArrivalPipeline;
  readonly parking: Parking;
  readonly truncations: Truncations;
  readonly catalog: CatalogStorage;
  readonly counters: StreamCounters;
  readonly limits: BodyLimits;
}

/**
 * Records that are worked on together: enough for full requests to the store, few enough to look at the clock between.
 */
const RECORDS_PER_STEP = 500;
/** Their bytes likewise: what is read stays in memory until it is durable. */
const BYTES_PER_STEP = 4_000_000;

/** Takes the requests of one GoldenGate stream from bytes to durable rows. */
export class GoldenGateConsumer {
  readonly #parts: GoldenGateConsumerParts;
  readonly #reader: StreamReader;
  readonly #settings: GoldenGateStream;
  readonly #stream: string;
  readonly #waitingTables: WaitingTables;

  constructor(stream: string, settings: GoldenGateStream, parts: GoldenGateConsumerParts) {
    this.#parts = parts;
    this.#settings = settings;
    this.#stream = stream;
    this.#reader = new StreamReader(stream, settings, parts.limits);
    const { maker } = this.#reader;
    this.#waitingTables = new WaitingTables(Object.keys(settings.keys).map((name) => maker.tableOf(name)));
  }

  /**
   * Takes in one request; outcomes stand in the order of the records in its body. When it resolves, all is durable.
   * Throws RequestError, TimeIsUpError and StoreUnavailableError; after the last two the same request has to come
   * again.
   */
  ingest(request: IngestRequest, deadline: Deadline): Promise<Outcome[]> {
    return this.#parts.counters.metered(() => this.#ingest(request, deadline));
  }

  async #ingest(request: IngestRequest, deadline: Deadline): Promise<Outcome[]> {
    refuseOtherTypes(request.header('content-type'));
    const { limits } = this.#parts;
    const body = await readBody(request, limits);
    const cloudEvent = attributesInHeaders((name) => request.header(name));
    const taker = this.#taker(deadline);
    const outcomes: Outcome[] = [];
    let step: ReadRecord[] = [];
    let bytes = 0;
    const finishStep = async () => {
      deadline.check();
      outcomes.push(...(await taker.take(step, outcomes.length)));
      step = [];
      bytes = 0;
    };
    let parts = 0;
    for (const part of readableParts(body, limits)) {
      parts++;
      // One part may hold any number of records.
      for (const record of this.#reader.read(part, cloudEvent)) {
        if (outcomes.length + step.length === limits.recordsPerRequest) throw tooManyRecords(limits.recordsPerRequest);
        step.push(record);
        bytes += record.part.byteLength;
        if (step.length === RECORDS_PER_STEP || bytes >= BYTES_PER_STEP) await finishStep();
      }
    }
    if (parts === 0 && !isEmptyList(body)) throw new RequestError(400, 'there is no record in the body');
    if (step.length > 0) await finishStep();
    await this.#count(taker, outcomes, body.byteLength);
    return outcomes;
  }

  /** Replays what waits for `table`, if its key has come to be known unnoticed. Throws StoreUnavailableError. */
  async replay(table: string, deadline: Deadline): Promise<void> {
    const taker = this.#taker(deadline);
    await taker.replayIfKnown(table);
    await this.#count(taker, [], 0);
  }

  #taker(deadline: Deadline): RecordTaker {
    const { arrivals, parking, truncations, catalog } = this.#parts;
    return new RecordTaker({
      stream: this.#stream,
      settings: this.#settings,
      reader: this.#reader,
      catalog: new GoldenGateCatalog(catalog, this.#stream),
      arrivals,
      parking,
      truncations,
      waitingTables: this.#waitingTables,
      deadline,
    });
  }

  async #count(taker: RecordTaker, outcomes: readonly Outcome[], bytes: number): Promise<void> {
    const { counters } = this.#parts;
    const { replayed, newestAt } = taker;
    if (outcomes.length === 0 && replayed.length === 0) return;
    counters.count(outcomes, bytes, newestAt);
    counters.countReplayed(replayed);
    await counters.save();
  }
}

const OPEN_BRACKET = '[';

/** A frame without records is a frame; a body without a frame is a mistake. */
function isEmptyList(body: Uint8Array): boolean {
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(OPEN_BRACKET);
}
