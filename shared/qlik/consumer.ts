import { refuseOtherTypes } from '../body/contentType.ts';
import type { Deadline } from '../body/deadline.ts';
import type { IngestRequest } from '../body/ingestRequest.ts';
import { readableParts } from '../body/readableParts.ts';
import { type BodyLimits, readBody } from '../body/readBody.ts';
import { RequestError } from '../body/requestError.ts';
import type { QlikStream } from '../config.ts';
import type { ArrivalPipeline } from '../ingest/arrival.ts';
import type { CatalogStorage } from '../ingest/catalogStore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Parking } from '../ingest/parking.ts';
import type { Pipeline } from '../ingest/pipeline.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { StreamCounters } from '../ingest/streamCounters.ts';
import { type AvroPart, isAvroBody, splitAvroBody } from './avroFrames.ts';
import { ChangeWriter } from './changeWriter.ts';
import { DataTaker } from './dataTaker.ts';
import { Loads } from './loads.ts';
import { openFrame, openJson } from './openRecord.ts';
import { RecordTaker, type RequestRecord } from './recordTaker.ts';
import { Resolver, unprocessable } from './resolve.ts';
import { SchemaCatalog } from './schemaCatalog.ts';

export interface QlikConsumerParts {
  readonly pipeline: Pipeline;
  readonly arrivals: ArrivalPipeline;
  readonly parking: Parking;
  readonly catalog: CatalogStorage;
  readonly counters: StreamCounters;
  readonly limits: BodyLimits;
}

/** Records that are worked on together: enough for full requests to the store, few enough to look at the clock between. */
const RECORDS_PER_STEP = 1_000;

/** Takes the requests of one Qlik stream from bytes to durable rows. */
export class QlikConsumer {
  readonly schemas: SchemaCatalog;
  readonly #settings: QlikStream;
  readonly #parts: QlikConsumerParts;
  readonly #data: DataTaker;
  readonly #taker: RecordTaker;
  /** Outcomes of records that had waited, not counted yet. */
  #replayed: Outcome[] = [];

  constructor(stream: string, settings: QlikStream, parts: QlikConsumerParts) {
    this.#settings = settings;
    this.#parts = parts;
    this.schemas = new SchemaCatalog(parts.catalog, stream);
    const loads = new Loads(parts.catalog, stream);
    this.#data = new DataTaker(
      stream,
      new Resolver(stream, settings, this.schemas),
      loads,
      new ChangeWriter(stream, parts.pipeline, parts.arrivals),
    );
    this.#taker = new RecordTaker({
      stream,
      schemas: this.schemas,
      data: this.#data,
      loads,
      parking: parts.parking,
      format: settings.format,
      nestingLevels: parts.limits.nestingLevels,
      onReplayed: (outcomes) => this.#replayed.push(...outcomes),
    });
  }

  /**
   * Takes in one request; outcomes stand in the order of the records in its body. When it resolves, all is durable.
   * Throws RequestError, TimeIsUpError and StoreUnavailableError; after the last two the same request has to come again.
   */
  ingest(request: IngestRequest, deadline: Deadline): Promise<Outcome[]> {
    return this.#parts.counters.metered(() => this.#ingest(request, deadline));
  }

  async #ingest(request: IngestRequest, deadline: Deadline): Promise<Outcome[]> {
    refuseOtherTypes(request.header('content-type'));
    const body = await readBody(request, this.#parts.limits);
    const outcomes: Outcome[] = [];
    let step: RequestRecord[] = [];
    const finishStep = async () => {
      deadline.check();
      outcomes.push(...(await this.#taker.take(step, deadline.startedAt)));
      step = [];
    };
    for (const record of this.#recordsOf(body)) {
      step.push(record);
      if (step.length === RECORDS_PER_STEP) await finishStep();
    }
    if (step.length > 0) await finishStep();
    await this.#count(outcomes, body.byteLength);
    return outcomes;
  }

  /** Replays what waits for a schema that has been registered. Throws StoreUnavailableError. */
  async replayRegistered(registryId: number): Promise<void> {
    await this.#taker.replaySchema({ from: 'registry', registryId });
    await this.#count([], 0);
  }

  /** Replays what waits for `waitingFor`, if that has come unnoticed. Throws StoreUnavailableError. */
  async replay(waitingFor: string): Promise<void> {
    this.schemas.forgetMissing();
    await this.#taker.replayIfCome(waitingFor);
    await this.#count([], 0);
  }

  *#recordsOf(body: Uint8Array): Generator<RequestRecord> {
    const { format } = this.#settings;
    let index = 0;
    if (!isAvroBody(body)) {
      for (const { bytes, content } of readableParts(body, this.#parts.limits)) {
        yield { bytes, index: index++, opened: opened(content, (value) => openJson(value, format)) };
      }
      return;
    }
    for (const { bytes, content } of this.#avroParts(body)) {
      yield { bytes, index: index++, opened: opened(content, (frame) => openFrame(frame, null, format)) };
    }
  }

  /** As `readableParts` for JSON: a body in which nothing can be read is refused as a whole. */
  *#avroParts(body: Uint8Array): Generator<AvroPart> {
    const { decompressedBytes, recordsPerRequest } = this.#parts.limits;
    let count = 0;
    for (const part of splitAvroBody(body, decompressedBytes)) {
      if (++count > recordsPerRequest)
        throw new RequestError(413, `the body has more than ${recordsPerRequest} records: send smaller ones`);
      const isWholeBody = count === 1 && part.bytes.byteLength === body.byteLength;
      if (isWholeBody && part.content instanceof UnprocessableError)
        throw new RequestError(400, `nothing in the body can be read; ${part.content.message}`);
      yield part;
    }
  }

  async #count(outcomes: readonly Outcome[], bytes: number): Promise<void> {
    const { counters } = this.#parts;
    const replayed = this.#replayed.splice(0);
    if (outcomes.length === 0 && replayed.length === 0) return;
    const { ignoredMasks, newestAt } = this.#data.takeNotes();
    counters.count(outcomes, bytes, newestAt);
    counters.countReplayed(replayed);
    counters.countIgnoredMasks(ignoredMasks);
    await counters.save();
  }
}

function opened<Content, Opened>(
  content: Content | UnprocessableError,
  open: (content: Content) => Opened,
): Opened | UnprocessableError {
  if (content instanceof UnprocessableError) return content;
  try {
    return open(content);
  } catch (error) {
    return unprocessable(error);
  }
}
