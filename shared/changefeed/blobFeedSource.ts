import type { Readable } from 'node:stream';
import { BlobServiceClient, type ContainerClient, RestError } from '@azure/storage-blob';
import type { StorageConnection } from '../config.ts';
import { appIdentity } from '../identity.ts';
import { FeedNotEnabledError, FeedSettingsError, FeedUnavailableError } from './errors.ts';
import type { FeedSource, ListedBlob } from './feedSource.ts';

/** The container is hidden from listings of containers and has to be addressed by name. */
export const FEED_CONTAINER = '$blobchangefeed';

const NOT_FOUND = 404;
const RANGE_NOT_SATISFIABLE = 416;
const NO_CONTAINER = new Set(['ContainerNotFound', 'ContainerBeingDeleted', 'ContainerDisabled']);

/**
 * Opens the change feed of an account. Makes no request.
 * Throws FeedSettingsError for a connection that cannot be one, and for a Data Lake endpoint, which has no change feed.
 */
export async function openBlobFeed(connection: StorageConnection, container = FEED_CONTAINER): Promise<FeedSource> {
  const client = (await serviceClient(connection)).getContainerClient(container);
  const host = new URL(client.url).hostname.toLowerCase();
  if (host.includes('.dfs.')) {
    throw new FeedSettingsError(`${host} is a Data Lake endpoint; the change feed is read from the blob endpoint`);
  }
  return new BlobFeedSource(client, host);
}

class BlobFeedSource implements FeedSource {
  readonly host: string;
  readonly #container: ContainerClient;

  constructor(container: ContainerClient, host: string) {
    this.#container = container;
    this.host = host;
  }

  async read(name: string, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.#download(name, 0, undefined, signal);
  }

  async readRange(name: string, offset: number, count: number, signal?: AbortSignal): Promise<Buffer | undefined> {
    return this.#download(name, offset, count, signal);
  }

  async *list(prefix: string, signal?: AbortSignal): AsyncIterable<ListedBlob> {
    try {
      for await (const item of this.#container.listBlobsFlat({ prefix, ...abortable(signal) })) {
        yield { name: item.name, bytes: item.properties.contentLength ?? 0 };
      }
    } catch (error) {
      throw failure(`${prefix} could not be listed`, error);
    }
  }

  async folders(prefix: string, signal?: AbortSignal): Promise<readonly string[]> {
    const names: string[] = [];
    try {
      for await (const item of this.#container.listBlobsByHierarchy('/', { prefix, ...abortable(signal) })) {
        if (item.kind === 'prefix') names.push(item.name);
      }
    } catch (error) {
      throw failure(`${prefix} could not be listed`, error);
    }
    return names;
  }

  async #download(name: string, offset: number, count: number | undefined, signal: AbortSignal | undefined) {
    try {
      const answer = await this.#container.getBlobClient(name).download(offset, count, abortable(signal));
      if (answer.readableStreamBody === undefined) return Buffer.alloc(0);
      return await bytesOf(answer.readableStreamBody as Readable, answer.contentLength ?? 0);
    } catch (error) {
      if (error instanceof RestError && error.statusCode === RANGE_NOT_SATISFIABLE) return Buffer.alloc(0);
      if (error instanceof RestError && error.statusCode === NOT_FOUND && !isAboutContainer(error)) return undefined;
      throw failure(`${name} could not be read`, error);
    }
  }
}

/** The whole body, however many pieces it arrives in. */
function bytesOf(stream: Readable, expectedBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const whole = Buffer.allocUnsafe(expectedBytes);
    let length = 0;
    stream.on('data', (piece: Buffer) => {
      length += piece.copy(whole, length);
    });
    stream.on('end', () => resolve(whole.subarray(0, length)));
    stream.on('error', reject);
  });
}

function isAboutContainer(error: RestError): boolean {
  return NO_CONTAINER.has(error.code ?? '');
}

function failure(what: string, error: unknown): Error {
  if (error instanceof RestError && isAboutContainer(error)) return new FeedNotEnabledError({ cause: error });
  return new FeedUnavailableError(what, { cause: error });
}

function abortable(signal: AbortSignal | undefined): { readonly abortSignal?: AbortSignal } {
  return signal === undefined ? {} : { abortSignal: signal };
}

async function serviceClient(connection: StorageConnection): Promise<BlobServiceClient> {
  if ('connectionString' in connection) {
    try {
      return BlobServiceClient.fromConnectionString(connection.connectionString);
    } catch (error) {
      throw new FeedSettingsError('the connection string of the change feed cannot be parsed', { cause: error });
    }
  }
  return new BlobServiceClient(connection.serviceUri, await appIdentity());
}
