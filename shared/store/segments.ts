import type { Container } from '@azure/cosmos';
import type {
  Manifest,
  ManifestVersion,
  SegmentStorage,
  SplitEventKey,
  StoredSegment,
} from '../ingest/segmentStore.ts';
import { StoreUnavailableError } from './errors.ts';
import type { Operations } from './operations.ts';

const NOT_FOUND = 404;
/** Created, deleted or written by someone else in between. */
const CONFLICTS = new Set([NOT_FOUND, 409, 412]);
const EXISTS = 409;
/** Each holds up to a message of the hub. */
const SEGMENTS_PER_READ = 8;
/** Manifests that one sweep looks at; the next sweep takes the rest. */
const OVERDUE_PER_SWEEP = 100;

/**
 * The container `segments`. One logical partition per `logicalid`, so that the segments and the manifest of an event
 * can be read together; ids carry the stream, for two streams may read one hub.
 */
export class SegmentStore implements SegmentStorage {
  readonly #container: Container;
  readonly #operations: Operations;

  constructor(container: Container, operations: Operations) {
    this.#container = container;
    this.#operations = operations;
  }

  async readManifests(keys: readonly SplitEventKey[]): Promise<(ManifestVersion | undefined)[]> {
    const operations = keys.map(({ scope, logicalId }) => {
      return { type: 'Read' as const, partitionKey: [logicalId], id: manifestId(scope) };
    });
    return (await this.#operations.run(operations)).map(({ status, document, etag }) => {
      if (status === NOT_FOUND) return undefined;
      if (status >= 300 || etag === undefined) throw failed('a manifest could not be read', status);
      return { manifest: document as Manifest, etag };
    });
  }

  async writeManifest(manifest: Manifest, etag: string | undefined): Promise<'written' | 'conflict'> {
    const document = { ...manifest, id: manifestId(manifest.scope) };
    const target = { partitionKey: [manifest.logicalId], id: document.id, document };
    const [result] = await this.#operations.run([
      etag === undefined ? { type: 'Create', ...target } : { type: 'Replace', ...target, ifMatch: etag },
    ]);
    if (result !== undefined && result.status < 300) return 'written';
    if (result !== undefined && CONFLICTS.has(result.status)) return 'conflict';
    throw failed('a manifest could not be written', result?.status);
  }

  async writeSegments(segments: readonly StoredSegment[]): Promise<('created' | 'known')[]> {
    const operations = segments.map((segment) => {
      const id = segmentId(segment.scope, segment.index);
      return { type: 'Create' as const, partitionKey: [segment.logicalId], id, document: { ...segment, id } };
    });
    return (await this.#operations.run(operations)).map(({ status }) => {
      if (status < 300) return 'created';
      if (status === EXISTS) return 'known';
      throw failed('a segment could not be written', status);
    });
  }

  async *readSegments({ scope, logicalId }: SplitEventKey): AsyncGenerator<StoredSegment> {
    const query = {
      query: "SELECT * FROM c WHERE c.kind = 'segment' AND c.scope = @scope",
      parameters: [{ name: '@scope', value: scope }],
    };
    try {
      const pages = this.#container.items.query<StoredSegment>(query, { partitionKey: [logicalId] });
      for await (const { resources } of pages.getAsyncIterator()) yield* resources;
    } catch (error) {
      throw new StoreUnavailableError('the segments of an event could not be read', { cause: error });
    }
  }

  async *readListed(
    { scope, logicalId }: SplitEventKey,
    indexes: readonly number[],
  ): AsyncGenerator<StoredSegment | undefined> {
    const ordered = indexes.toSorted((a, b) => a - b);
    for (let start = 0; start < ordered.length; start += SEGMENTS_PER_READ) {
      const operations = ordered.slice(start, start + SEGMENTS_PER_READ).map((index) => {
        return { type: 'Read' as const, partitionKey: [logicalId], id: segmentId(scope, index) };
      });
      for (const { status, document } of await this.#operations.run(operations)) {
        if (status >= 300 && status !== NOT_FOUND) throw failed('a segment could not be read', status);
        yield status === NOT_FOUND ? undefined : (document as StoredSegment);
      }
    }
  }

  async deleteSegments({ scope, logicalId }: SplitEventKey, indexes: readonly number[]): Promise<void> {
    const operations = indexes.map((index) => {
      return { type: 'Delete' as const, partitionKey: [logicalId], id: segmentId(scope, index) };
    });
    const bad = (await this.#operations.run(operations)).find(({ status }) => status >= 300 && status !== NOT_FOUND);
    if (bad !== undefined) throw failed('a segment could not be deleted', bad.status);
  }

  async incompleteBefore(time: string): Promise<Manifest[]> {
    const query = {
      query: `SELECT * FROM c WHERE c.kind = 'manifest' AND c.state = 'incomplete' AND c.firstSeenAt < @time
              ORDER BY c.firstSeenAt OFFSET 0 LIMIT ${OVERDUE_PER_SWEEP}`,
      parameters: [{ name: '@time', value: time }],
    };
    return this.#query<Manifest>(query);
  }

  /**
   * How many events of `stream` lack segments, when the oldest was first seen, and how many segments are held for them.
   * Throws StoreUnavailableError.
   */
  async incompleteOf(
    stream: string,
  ): Promise<{ readonly events: number; readonly segments: number; readonly oldest: string | null }> {
    const where = "WHERE c.kind = 'manifest' AND c.state = 'incomplete' AND c.stream = @stream";
    const parameters = [{ name: '@stream', value: stream }];
    const oldest = `SELECT VALUE c.firstSeenAt FROM c ${where} ORDER BY c.firstSeenAt OFFSET 0 LIMIT 1`;
    const held = "SELECT VALUE COUNT(1) FROM c WHERE c.kind = 'segment' AND c.stream = @stream";
    const [counts, firsts, segments] = await Promise.all([
      this.#query<number>({ query: `SELECT VALUE COUNT(1) FROM c ${where}`, parameters }),
      this.#query<string>({ query: oldest, parameters }),
      this.#query<number>({ query: held, parameters }),
    ]);
    return { events: counts[0] ?? 0, segments: segments[0] ?? 0, oldest: firsts[0] ?? null };
  }

  async #query<Row>(query: { query: string; parameters: { name: string; value: string }[] }): Promise<Row[]> {
    try {
      return (await this.#container.items.query<Row>(query).fetchAll()).resources;
    } catch (error) {
      throw new StoreUnavailableError('the segments could not be queried', { cause: error });
    }
  }
}

function manifestId(scope: string): string {
  return `${scope}:manifest`;
}

function segmentId(scope: string, index: number): string {
  return `${scope}:${String(index).padStart(10, '0')}`;
}

function failed(what: string, status: number | undefined): StoreUnavailableError {
  return new StoreUnavailableError(`${what}: status ${status}`);
}
