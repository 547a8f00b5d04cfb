/** A blob as a listing names it. */
export interface ListedBlob {
  /** Inside the container. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * What the walker needs of the container `$blobchangefeed`; each method is one request, `list` one per page. All throw
 * FeedNotEnabledError when the container is not there, FeedUnavailableError when the account does not answer.
 */
export interface FeedSource {
  /** The account's host name, without port, in lower case. */
  readonly host: string;
  /** A small blob as a whole; undefined when there is none. */
  read(name: string, signal?: AbortSignal): Promise<Buffer | undefined>;
  /** `count` bytes from `offset` on, fewer when the blob ends before; undefined when it is gone. */
  readRange(name: string, offset: number, count: number, signal?: AbortSignal): Promise<Buffer | undefined>;
  /** Every blob whose name begins with `prefix`, in the order of names. */
  list(prefix: string, signal?: AbortSignal): AsyncIterable<ListedBlob>;
  /** The folders directly under `prefix`, each as a prefix that ends in `/`. */
  folders(prefix: string, signal?: AbortSignal): Promise<readonly string[]>;
}
