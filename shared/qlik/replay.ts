import type { BodyLimits } from '../body/readBody.ts';
import type { QlikStream } from '../config.ts';
import { arrivalText } from '../ingest/arrivalToken.ts';
import { type Arrivals, arrivedBefore, placeOfArrival, waitedBefore } from '../ingest/arrivedBefore.ts';
import type { CatalogStorage } from '../ingest/catalogStore.ts';
import type { Outcome } from '../ingest/delivery.ts';
import type { Parking } from '../ingest/parking.ts';
import type { Intake } from '../ingest/pipeline.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { DeadRecord, DecodedChange, Replayer } from '../ingest/replay.ts';
import { ChangeWriter } from './changeWriter.ts';
import { DataTaker } from './dataTaker.ts';
import { Loads } from './loads.ts';
import { normalise } from './normalise.ts';
import { type OpenedRecord, openBytes } from './openRecord.ts';
import { readOperation } from './operations.ts';
import { RecordTaker } from './recordTaker.ts';
import { Resolver, unprocessable } from './resolve.ts';
import { SchemaCatalog } from './schemaCatalog.ts';
import { readSequence } from './sequence.ts';

export interface QlikReplayerParts {
  readonly pipeline: Pick<Intake, 'ingest'>;
  readonly arrivals: Arrivals;
  readonly parking: Parking;
  readonly catalog: CatalogStorage;
  readonly limits: BodyLimits;
}

/** Takes dead letters of one Qlik stream in again, each with the arrival that it had. */
export class QlikReplayer implements Replayer {
  readonly #stream: string;
  readonly #settings: QlikStream;
  readonly #parts: QlikReplayerParts;

  constructor(stream: string, settings: QlikStream, parts: QlikReplayerParts) {
    this.#stream = stream;
    this.#settings = settings;
    this.#parts = parts;
  }

  async replay(record: DeadRecord): Promise<Outcome[]> {
    const { pipeline, arrivals, parking, catalog, limits } = this.#parts;
    const arrival = record.arrival ?? arrivalText(Date.parse(record.receivedAt), 0);
    const { clockMs, index } = placeOfArrival(arrival);
    const schemas = new SchemaCatalog(catalog, this.#stream);
    const loads = new Loads(catalog, this.#stream);
    const data = new DataTaker(
      this.#stream,
      new Resolver(this.#stream, this.#settings, schemas),
      loads,
      new ChangeWriter(this.#stream, pipeline, arrivedBefore(arrivals, arrival)),
    );
    const taker = new RecordTaker({
      stream: this.#stream,
      schemas,
      data,
      loads,
      parking: waitedBefore(parking, arrival),
      format: this.#settings.format,
      nestingLevels: limits.nestingLevels,
      onReplayed: () => undefined,
    });
    return taker.take([{ bytes: record.bytes, index, opened: this.#opened(record) }], clockMs);
  }

  async decode(record: DeadRecord): Promise<(DecodedChange | UnprocessableError)[]> {
    return decodeRecord(this.#stream, this.#settings, this.#opened(record));
  }

  #opened({ bytes }: DeadRecord): OpenedRecord | UnprocessableError {
    try {
      return openBytes(bytes, this.#settings.format, this.#parts.limits.nestingLevels);
    } catch (error) {
      return unprocessable(error);
    }
  }
}

/** The change that a record is, as far as it tells by itself; nothing where it is about tables or schemas. */
export function decodeRecord(
  stream: string,
  settings: QlikStream,
  opened: OpenedRecord | UnprocessableError,
): (DecodedChange | UnprocessableError)[] {
  if (opened instanceof UnprocessableError) return [opened];
  if (opened.kind === 'encoded') {
    return [
      new UnprocessableError(
        'undecodable',
        'the message is in Avro and its schema is not in it; the catalog may have it',
      ),
    ];
  }
  if (opened.kind !== 'data') return [];
  try {
    const name = opened.table ?? settings.table ?? 'unknown';
    const key = Object.hasOwn(settings.keys, name) ? (settings.keys[name] ?? null) : null;
    const operation = readOperation(opened.headers);
    const place =
      operation === 'REFRESH'
        ? ({ kind: 'load', load: 0, base: '' } as const)
        : ({ kind: 'captured', sequence: readSequence(opened.headers.changeSequence) } as const);
    return [normalise(stream, opened, operation, { name, plan: null, key }, place)];
  } catch (error) {
    return [unprocessable(error)];
  }
}
