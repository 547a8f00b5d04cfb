import { BlobServiceClient, type ContainerClient, RestError } from '@azure/storage-blob';

/** The host's storage is next door: the client's default of waiting several seconds between tries only hides trouble. */
const RETRY = { maxTries: 3, retryDelayInMs: 200, maxRetryDelayInMs: 1_000 };
const NOT_FOUND = 404;

/** A container of the account behind `AzureWebJobsStorage`; it need not exist yet. */
export function hostContainer(connectionString: string, name: string): ContainerClient {
  return BlobServiceClient.fromConnectionString(connectionString, { retryOptions: RETRY }).getContainerClient(name);
}

export function isNotFound(error: unknown): boolean {
  return error instanceof RestError && error.statusCode === NOT_FOUND;
}
