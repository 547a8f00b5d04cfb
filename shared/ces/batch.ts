import type { Delivery, Outcome } from '../ingest/delivery.ts';
import { UnprocessableError } from '../ingest/reasons.ts';
import type { SplitEventKey } from '../ingest/segmentStore.ts';
import type { CesAttributes } from './attributes.ts';
import { type CesEnvelope, decodeEnvelopes } from './envelope.ts';
import type { CesDelivery, CesNormaliser } from './normalise.ts';
import type { CesPayload } from './payload.ts';
import { type DeliveredPiece, pieceOf } from './piece.ts';
import { openEnvelope } from './reassembly.ts';
import type { Absorbed, WholeEvent } from './splitEvents.ts';
import type { TableSighting } from './tableCatalog.ts';

/** One event of an Event Hub batch, and what the hub said about it; null where it said nothing. */
export interface HubEvent {
  readonly bytes: Uint8Array;
  readonly partition: string | null;
  readonly sequenceNumber: number | null;
  readonly offset: string | null;
  /** ISO 8601. */
  readonly enqueuedAt: string | null;
}

/** The place of one message in its batch: what there is to ingest in it, and in the end what became of it. */
export interface Slot {
  delivery: Delivery | undefined;
  outcome: Outcome;
}

/** The pieces of one split event that a batch holds. */
export interface Group {
  readonly key: SplitEventKey;
  readonly pieces: DeliveredPiece[];
  readonly slots: Slot[];
}

/** What a batch is read with. */
export interface BatchReader {
  readonly stream: string;
  readonly hub: string;
  readonly normaliser: CesNormaliser;
  readonly epochAt: (enqueuedAt: string | null) => string;
}

/**
 * One batch, decoded: a slot for each envelope in order, those of split events grouped by event, and what the events say
 * about their tables. Errors in an event fill its slot and go no further.
 */
export class CesBatch {
  readonly slots: Slot[] = [];
  readonly sightings: TableSighting[] = [];
  readonly #groups = new Map<string, Group>();
  readonly #reader: BatchReader;

  /** `only`: of a message that holds several events, the place of the one to read. */
  constructor(reader: BatchReader, events: readonly HubEvent[], only?: number) {
    this.#reader = reader;
    for (const event of events) this.#open(event, only);
  }

  get groups(): readonly Group[] {
    return [...this.#groups.values()];
  }

  /** Notes what became of a group's pieces. A whole event is ingested in the place of its last piece. */
  settle({ key, slots }: Group, absorbed: Absorbed): void {
    for (const slot of slots) slot.outcome = outcomeOfPieces(absorbed);
    const lastSlot = slots.at(-1);
    if (absorbed.state === 'whole' && lastSlot !== undefined) lastSlot.delivery = this.#wholeDelivery(key, absorbed);
  }

  #open({ bytes, ...place }: HubEvent, only: number | undefined): void {
    const delivery: CesDelivery = { hub: this.#reader.hub, ...place };
    const atPlace = only === undefined ? { ...delivery } : { ...delivery, envelope: only };
    let envelopes: readonly CesEnvelope[];
    try {
      envelopes = decodeEnvelopes(bytes);
    } catch (error) {
      this.#add({ position: atPlace, bytes, decoded: unprocessable(error) });
      return;
    }
    if (only !== undefined && envelopes[only] === undefined) {
      const missing = new UnprocessableError('undecodable', 'the event is not where it was in its message');
      this.#add({ position: atPlace, bytes, decoded: missing });
    }
    envelopes.forEach((envelope, index) => {
      if (only !== undefined && index !== only) return;
      // A container holds several events in one message: the message's position alone would not tell them apart.
      const position = envelopes.length === 1 ? atPlace : { ...delivery, envelope: index };
      this.#openEnvelope(envelope, delivery, { position, bytes });
    });
  }

  #openEnvelope(envelope: CesEnvelope, delivery: CesDelivery, raw: DeliveredPiece['raw']): void {
    try {
      const { payload, segment } = openEnvelope(envelope);
      if (segment === undefined) this.#add({ ...raw, decoded: this.#changeOf(envelope.attributes, payload, delivery) });
      else {
        const group = this.#groupOf(envelope.attributes, delivery);
        group.pieces.push({ ...pieceOf(segment, delivery), raw });
        group.slots.push(this.#add(undefined));
      }
    } catch (error) {
      this.#add({ ...raw, decoded: unprocessable(error) });
    }
  }

  #add(delivery: Delivery | undefined): Slot {
    const slot: Slot = { delivery, outcome: { outcome: 'segment' } };
    this.slots.push(slot);
    return slot;
  }

  #groupOf({ logicalid: logicalId }: CesAttributes, { enqueuedAt }: CesDelivery): Group {
    const { stream, epochAt } = this.#reader;
    const scope = `${stream}:${epochAt(enqueuedAt)}`;
    const name = `${scope}/${logicalId}`;
    const group = this.#groups.get(name) ?? { key: { scope, stream, logicalId }, pieces: [], slots: [] };
    this.#groups.set(name, group);
    return group;
  }

  #wholeDelivery({ logicalId }: SplitEventKey, { payload, last, pieces }: WholeEvent): Delivery {
    const { attributes, delivery, bytes } = last;
    const decoded = payload instanceof UnprocessableError ? payload : this.#changeOf(attributes, payload, delivery);
    return { position: { ...delivery, logicalid: logicalId }, bytes, decoded, pieces };
  }

  #changeOf(attributes: CesAttributes, payload: CesPayload, delivery: CesDelivery): Delivery['decoded'] {
    try {
      const { change, table } = this.#reader.normaliser.normalise(attributes, payload, delivery);
      this.sightings.push({ table, isFull: change.image === 'full', token: change.token });
      return change;
    } catch (error) {
      return unprocessable(error);
    }
  }
}

/** Errors of the decoders are data; anything else is a fault of ours and goes up. */
function unprocessable(error: unknown): UnprocessableError {
  if (error instanceof UnprocessableError) return error;
  throw error;
}

function outcomeOfPieces(absorbed: Absorbed): Outcome {
  if (absorbed.state === 'dead') return absorbed.outcome;
  return { outcome: absorbed.state === 'late' ? 'duplicate' : 'segment' };
}
