import { BlobServiceClient, type ContainerClient, RestError } from '@azure/storage-blob';
import type { StorageConnection } from '../config.ts';
import { appIdentity } from '../identity.ts';
import { StoreUnavailableError, ValueGoneError } from './errors.ts';

/** The blob container; infra/modules/hostStorage.bicep makes it in Azure. */
export const VALUES_CONTAINER = 'tributary-values';
const REMEMBERED_NAMES = 10_000;
const ALREADY_EXISTS = 409;
const NOT_FOUND = 404;

/** Values too large for a document, in Blob Storage, by the hash of their content. Opened at first use. */
export class ValueStore {
  readonly #connection: StorageConnection;
  /** Names that are surely there: the same value goes into a change and into a row. */
  readonly #written = new Set<string>();
  #container: Promise<ContainerClient> | undefined;

  constructor(connection: StorageConnection) {
    this.#connection = connection;
  }

  /** Keeps `content` under `name`, which only equal content has. Throws StoreUnavailableError. */
  async write(name: string, content: Uint8Array): Promise<void> {
    if (this.#written.has(name)) return;
    await this.#upload(name, content);
    if (this.#written.size === REMEMBERED_NAMES) this.#written.clear();
    this.#written.add(name);
  }

  async #upload(name: string, content: Uint8Array): Promise<void> {
    try {
      const blob = (await this.#open()).getBlockBlobClient(name);
      const view = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      await blob.uploadData(view, { conditions: { ifNoneMatch: '*' } });
    } catch (error) {
      if (error instanceof RestError && error.statusCode === ALREADY_EXISTS) return;
      throw new StoreUnavailableError('a large value could not be written to Blob Storage', { cause: error });
    }
  }

  /** Throws StoreUnavailableError; ValueGoneError when there is no such value. */
  async read(name: string): Promise<Buffer> {
    try {
      return await (await this.#open()).getBlockBlobClient(name).downloadToBuffer();
    } catch (error) {
      if (error instanceof RestError && error.statusCode === NOT_FOUND) {
        throw new ValueGoneError(`the large value ${name} is gone from Blob Storage`);
      }
      throw new StoreUnavailableError(`the large value ${name} could not be read from Blob Storage`, { cause: error });
    }
  }

  /** Touches the storage account. Throws StoreUnavailableError when it does not answer. */
  async ping(): Promise<void> {
    try {
      await (await this.#open()).exists();
    } catch (error) {
      throw new StoreUnavailableError('Blob Storage does not answer', { cause: error });
    }
  }

  #open(): Promise<ContainerClient> {
    this.#container ??= this.#create().catch((error: unknown) => {
      this.#container = undefined;
      throw error;
    });
    return this.#container;
  }

  async #create(): Promise<ContainerClient> {
    const container = (await this.#client()).getContainerClient(VALUES_CONTAINER);
    await container.createIfNotExists();
    return container;
  }

  async #client(): Promise<BlobServiceClient> {
    if ('connectionString' in this.#connection)
      return BlobServiceClient.fromConnectionString(this.#connection.connectionString);
    return new BlobServiceClient(this.#connection.serviceUri, await appIdentity());
  }
}
