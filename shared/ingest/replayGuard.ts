import type { NormalizedChange, Source } from '../change/change.ts';
import type { RowStore } from '../store/rows.ts';
import type { Delivery, Outcome } from './delivery.ts';
import type { IngestOptions, Intake } from './pipeline.ts';
import { UnprocessableError } from './reasons.ts';

export interface ReplayGuardOptions {
  /** How long a deleted row is remembered. */
  readonly tombstoneTtlMs: number;
  /** When the record first came, for changes that do not tell their commit time; ISO 8601. */
  readonly receivedAt: string;
}

/**
 * The pipeline for old news. A row that is absent either never was, or was deleted so long ago that its tombstone is gone;
 * a change that is older than tombstones live could bring the latter back. Nothing tells the two apart, so such a change
 * is refused as `too-old` unless the operator insists, which is to use the pipeline itself.
 */
export class ReplayGuard implements Intake {
  readonly #pipeline: Intake;
  readonly #rows: Pick<RowStore, 'read'>;
  readonly #options: ReplayGuardOptions;

  constructor(pipeline: Intake, rows: Pick<RowStore, 'read'>, options: ReplayGuardOptions) {
    this.#pipeline = pipeline;
    this.#rows = rows;
    this.#options = options;
  }

  async ingest(
    source: Source,
    stream: string,
    deliveries: readonly Delivery[],
    options?: IngestOptions,
  ): Promise<Outcome[]> {
    const old = deliveries.flatMap((delivery) => this.#oldChangeOf(delivery) ?? []);
    if (old.length === 0) return this.#pipeline.ingest(source, stream, deliveries, options);
    const rows = await this.#rows.read(old.map(({ table, key }) => ({ table, id: key })));
    const refused = new Set(old.filter((_, index) => rows[index] === undefined));
    const guarded = deliveries.map((delivery) => {
      const { decoded } = delivery;
      if (decoded instanceof UnprocessableError || !refused.has(decoded)) return delivery;
      const when = decoded.committedAt ?? this.#options.receivedAt;
      return copyOf(delivery, new UnprocessableError('too-old', `the change is of ${when} and its row is not there`));
    });
    return this.#pipeline.ingest(source, stream, guarded, options);
  }

  deadLetterPieces(...given: Parameters<Intake['deadLetterPieces']>): Promise<Outcome> {
    return this.#pipeline.deadLetterPieces(...given);
  }

  #oldChangeOf({ decoded }: Delivery): NormalizedChange | undefined {
    if (decoded instanceof UnprocessableError || decoded.keys === null) return undefined;
    const { tombstoneTtlMs, receivedAt } = this.#options;
    const age = Date.now() - Date.parse(decoded.committedAt ?? receivedAt);
    return age > tombstoneTtlMs ? decoded : undefined;
  }
}

/** Deliveries may be objects with getters: a spread would leave those behind. */
function copyOf(delivery: Delivery, decoded: UnprocessableError): Delivery {
  const { position, bytes, arrival, pieces } = delivery;
  return {
    position,
    bytes,
    decoded,
    ...(arrival === undefined ? {} : { arrival }),
    ...(pieces === undefined ? {} : { pieces }),
  };
}
