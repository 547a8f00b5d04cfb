import type { NormalizedChange } from '../change/change.ts';
import { unkeyedKey } from '../change/keys.ts';
import { LOWEST_TOKEN } from '../change/tokens.ts';
import type { FeedGap, FeedPosition } from '../ingest/cursorStore.ts';
import { blobTable } from './normalise.ts';

/** Why events may be missing, each with what the operator reads. */
export const GAP_KINDS = {
  'segment-gone': 'the segment that was being read is gone, so later ones may have come and gone with it',
  'chunk-gone': 'a chunk that was being read is gone before its segment was left',
  'chunk-shrunk': 'a chunk is shorter than what was read of it, as after an account failover',
  'chunk-rewritten': 'a chunk is not the one that was being read, as after an account failover',
  'chunk-corrupt': 'a chunk of a finalized segment cannot be read to its end',
  'feed-went-back': 'the newest segment of the feed is older than what was read, as after an account failover',
  'feed-was-off': 'the feed had been removed for a time; what changed meanwhile was not recorded',
} as const;

export type GapKind = keyof typeof GAP_KINDS;

/** A gap as it is found: where the walk stands, and where it would go on if it may. */
export interface FoundGap {
  readonly kind: GapKind;
  /** The segment, chunk or place that it is about; one gap has one place, however often it is found. */
  readonly place: string;
  /** Where to go on from the position there is by then; events that come again from there are known by their ids. */
  resume(position: FeedPosition): FeedPosition;
}

export function feedGap({ kind, place }: FoundGap, seenAt: string): FeedGap {
  return { kind, place, detail: `${GAP_KINDS[kind]} (${place})`, seenAt };
}

export function isKnownGap(known: FeedGap | null, { kind, place }: FoundGap): boolean {
  return known?.kind === kind && known.place === place;
}

/** The change that stands for a gap in the history. */
export function gapMarker(stream: string, gap: FeedGap): NormalizedChange {
  const identity = `blob/${stream}/gap/${gap.kind}/${gap.place}`;
  return {
    source: 'blob',
    stream,
    table: blobTable(stream),
    identity,
    op: 'marker',
    image: 'none',
    keys: null,
    key: unkeyedKey(identity),
    before: null,
    after: null,
    token: LOWEST_TOKEN,
    committedAt: null,
    transaction: null,
    origin: { gap: { ...gap } },
  };
}
