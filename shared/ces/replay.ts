import type { CesStream } from '../config.ts';
import type { Outcome, RawRecord } from '../ingest/delivery.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { DeadRecord, DecodedChange, Replayer } from '../ingest/replay.ts';
import { CesBatch, type HubEvent } from './batch.ts';
import { batchReaderOf, CesIntake, type CesIntakeParts } from './intake.ts';
import { deliveryOf } from './piece.ts';
import { assemble } from './reassembly.ts';
import { wholeOf } from './splitEvents.ts';

/** Takes dead letters of one CES stream in again, as if the hub had sent their messages once more. */
export class CesReplayer implements Replayer {
  readonly #stream: CesStream;
  readonly #parts: CesIntakeParts;

  constructor(stream: CesStream, parts: CesIntakeParts) {
    this.#stream = stream;
    this.#parts = parts;
  }

  async replay(record: DeadRecord): Promise<Outcome[]> {
    return new CesIntake(this.#stream.stream, this.#parts).retake(batchOf(this.#stream, record));
  }

  async decode(record: DeadRecord): Promise<(DecodedChange | UnprocessableError)[]> {
    return decodeMessages(this.#stream, record);
  }
}

/** The changes in messages of `stream`; of a split event that is not whole, what of it is there. */
export function decodeMessages(
  stream: CesStream,
  record: Pick<DeadRecord, 'pieces' | keyof RawRecord>,
): (DecodedChange | UnprocessableError)[] {
  const batch = batchOf(stream, record);
  for (const group of batch.groups) {
    const own = wholeOf(group.pieces, () => assemble(group.pieces));
    if (own === undefined) {
      const indexes = [...new Set(group.pieces.map(({ index }) => index))].sort((a, b) => a - b);
      const detail = `of the split event ${group.key.logicalId} the segments ${indexes.join(', ')} are here, not all`;
      const [slot] = group.slots;
      const { raw } = group.pieces[0] ?? {};
      if (slot !== undefined && raw !== undefined) {
        slot.delivery = { ...raw, decoded: new UnprocessableError('segment-timeout', detail) };
      }
      continue;
    }
    const pieces = async () => group.pieces.map(({ raw }) => raw);
    batch.settle(group, { state: 'whole', ...own, pieces, finish: async () => {} });
  }
  return batch.slots.flatMap(({ delivery }) => (delivery === undefined ? [] : delivery.decoded));
}

function batchOf(stream: CesStream, record: Pick<DeadRecord, 'pieces' | keyof RawRecord>): CesBatch {
  const { envelope } = record.position;
  const messages = record.pieces.length > 0 ? record.pieces : [record];
  // Of a message with several events only the one that failed is meant; the others went their ways.
  const only = record.pieces.length === 0 && typeof envelope === 'number' ? envelope : undefined;
  return new CesBatch(batchReaderOf(stream), messages.map(hubEvent), only);
}

function hubEvent({ position, bytes }: RawRecord): HubEvent {
  const { hub: _, ...place } = deliveryOf(position);
  return { bytes, ...place };
}
