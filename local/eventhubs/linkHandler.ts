import type { Delivery } from 'rhea';

/** What the broker does for one link of a client. */
export interface LinkHandler {
  /** A message came from the client; only for links on which the client sends. */
  message?(delivery: Delivery, payload: Buffer): void;
  /** The client may take more messages; only for links on which it receives. */
  flow?(): void;
  /** The client wants what there is and no more; only for links on which it receives. */
  drain?(): void;
  /** The link has ended, by whatever cause. Called once. */
  closed(): void;
}
