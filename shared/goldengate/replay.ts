import { Deadline } from '../body/deadline.ts';
import type { BodyLimits } from '../body/readBody.ts';
import type { GoldenGateStream } from '../config.ts';
import { arrivalText } from '../ingest/arrivalToken.ts';
import { type Arrivals, arrivedBefore, placeOfArrival, waitedBefore } from '../ingest/arrivedBefore.ts';
import type { CatalogStorage } from '../ingest/catalogStore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Parking } from '../ingest/parking.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { DeadRecord, DecodedChange, Replayer } from '../ingest/replay.ts';
import type { Truncations } from '../ingest/truncations.ts';
import { GoldenGateCatalog } from './catalog.ts';
import { RecordTaker } from './recordTaker.ts';
import { type ReadRecord, StreamReader, unprocessable } from './stream.ts';
import { WaitingTables } from './waitingTables.ts';

export interface GoldenGateReplayerParts {
  readonly arrivals: Arrivals;
  readonly parking: Parking;
  readonly truncations: Truncations;
  readonly catalog: CatalogStorage;
  readonly limits: BodyLimits;
}

const TIME_LIMIT_MS = 60_000;

/** Takes dead letters of one GoldenGate stream in again, each with the arrival that it had. */
export class GoldenGateReplayer implements Replayer {
  readonly #stream: string;
  readonly #settings: GoldenGateStream;
  readonly #parts: GoldenGateReplayerParts;
  readonly #reader: StreamReader;

  constructor(stream: string, settings: GoldenGateStream, parts: GoldenGateReplayerParts) {
    this.#stream = stream;
    this.#settings = settings;
    this.#parts = parts;
    this.#reader = new StreamReader(stream, settings, parts.limits);
  }

  async replay(record: DeadRecord): Promise<Outcome[]> {
    const { arrivals, parking, truncations, catalog } = this.#parts;
    const arrival = record.arrival ?? arrivalText(Date.parse(record.receivedAt), 0);
    const { clockMs, index } = placeOfArrival(arrival);
    const taker = new RecordTaker({
      stream: this.#stream,
      settings: this.#settings,
      reader: this.#reader,
      catalog: new GoldenGateCatalog(catalog, this.#stream),
      arrivals: arrivedBefore(arrivals, arrival),
      parking: waitedBefore(parking, arrival),
      truncations,
      waitingTables: new WaitingTables([]),
      deadline: new Deadline(TIME_LIMIT_MS, clockMs),
    });
    return taker.take(this.#read(record), index);
  }

  async decode(record: DeadRecord): Promise<(DecodedChange | UnprocessableError)[]> {
    return this.#read(record).flatMap((each) => decodeRecord(this.#reader, each));
  }

  #read({ bytes, position }: DeadRecord): readonly ReadRecord[] {
    return this.#reader.readAgain(bytes, position);
  }
}

/** The change that a record is, as far as it tells by itself; nothing where it is about tables or schemas. */
export function decodeRecord(
  reader: StreamReader,
  { content, cloudEvent }: ReadRecord,
): (DecodedChange | UnprocessableError)[] {
  if (content instanceof UnprocessableError) return [content];
  if (content.kind !== 'data') return [];
  try {
    const change = reader.maker.change(content, { key: undefined, columns: [], types: {} }, cloudEvent);
    return [change ?? new UnprocessableError('no-key', 'the record itself does not tell its key; the catalog may')];
  } catch (error) {
    return [unprocessable(error)];
  }
}
