/** Any failure of reading a change feed; each message is fit for the operator's eyes. */
export abstract class ChangeFeedError extends Error {}

/** The account has no container `$blobchangefeed`: the feed was never switched on, or was removed. */
export class FeedNotEnabledError extends ChangeFeedError {
  override readonly name = 'FeedNotEnabledError';

  constructor(options?: ErrorOptions) {
    super('change feed is not enabled: the storage account has no container $blobchangefeed', options);
  }
}

/** The storage account cannot be reached or refuses us. Nothing is wrong with the feed: the walk has to come again. */
export class FeedUnavailableError extends ChangeFeedError {
  override readonly name = 'FeedUnavailableError';

  constructor(what: string, options?: { readonly cause: unknown }) {
    const cause = options?.cause instanceof Error ? `: ${options.cause.message.split('\n', 1)[0]}` : '';
    super(`${what}${cause}`, options);
  }
}

/** The settings of a stream cannot work as they are; trying again will not help. */
export class FeedSettingsError extends ChangeFeedError {
  override readonly name = 'FeedSettingsError';
}

/** A manifest is not what the service writes. */
export class BadManifestError extends ChangeFeedError {
  override readonly name = 'BadManifestError';
}

/** A token of an SDK that is malformed, of another version, or of another account. */
export class FeedTokenError extends ChangeFeedError {
  override readonly name = 'FeedTokenError';
}

/** A chunk that ends inside its header or a block: more may come, or never, as its segment's state says. */
export class TornChunkError extends ChangeFeedError {
  override readonly name = 'TornChunkError';
  /** Where the incomplete block starts; 0 for the header. */
  readonly offset: number;

  constructor(path: string, offset: number) {
    super(`${path} ends inside the block at ${offset}`);
    this.offset = offset;
  }
}

/** A chunk whose bytes are no Avro object container, from `offset` on. */
export class CorruptChunkError extends ChangeFeedError {
  override readonly name = 'CorruptChunkError';
  readonly offset: number;

  constructor(path: string, offset: number, what: string, options?: ErrorOptions) {
    super(`${path} cannot be read from byte ${offset} on: ${what}`, options);
    this.offset = offset;
  }
}

/** The bytes before a position do not end a block: the chunk is not the one that the position was taken in. */
export class MisplacedPositionError extends ChangeFeedError {
  override readonly name = 'MisplacedPositionError';

  constructor(path: string, offset: number) {
    super(`byte ${offset} of ${path} is not where a block starts`);
  }
}
