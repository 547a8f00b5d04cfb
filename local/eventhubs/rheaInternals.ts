import type { Connection, Receiver, Sender, Session } from 'rhea';

/**
 * What rhea 3 keeps on its objects and leaves out of its types. Everything that the broker uses beyond rhea's published interface
 * is named here, so that a new version of rhea can be checked against one file.
 */

/** A transfer as rhea hands it from the connection to the session. */
export interface TransferFrame {
  readonly performative: {
    message_format: number | null | undefined;
    readonly aborted: boolean | null | undefined;
  };
  payload: Buffer | undefined;
}

type ReceiverInternals = Receiver & {
  /** The delivery of which some frames have arrived. */
  readonly _incomplete?: { frames: (Buffer | undefined)[] } | undefined;
};

type SenderInternals = Sender & {
  /** Messages the peer still accepts; falls when a message is written, not when it is queued. */
  credit: number;
};

type SessionInternals = Session & {
  readonly outgoing: { available(): number };
  on_transfer(frame: TransferFrame): void;
  on_disposition(): void;
  _get_link(frame: TransferFrame): Sender | Receiver;
};

export function receiverInternals(receiver: Receiver): ReceiverInternals {
  return receiver as ReceiverInternals;
}

export function senderInternals(sender: Sender): SenderInternals {
  return sender as SenderInternals;
}

export function sessionInternals(session: Session): SessionInternals {
  return session as SessionInternals;
}

/** Bytes of the frame that rhea is waiting for the rest of, undefined when it is not. */
export function awaitedFrameBytes(connection: Connection): number | undefined {
  return connection.frame_size;
}

/**
 * Makes a connection ignore frames on channels that are not open. The client's library goes on announcing its window on a session that it
 * has just ended while events are under way to it; to rhea this is a breach of the protocol that ends the connection, and with it all the
 * client's other receivers.
 */
export function ignoreEndedChannels(connection: Connection): void {
  for (const handler of ['on_flow', 'on_disposition', 'on_transfer', 'on_detach']) {
    const handle: (frame: { readonly channel: number }) => void = connection[handler].bind(connection);
    connection[handler] = (frame: { readonly channel: number }): void => {
      if (connection.remote_channel_map[frame.channel] !== undefined) {
        handle(frame);
      }
    };
  }
}

/** Ends what rhea may go on doing after the socket has closed: a heartbeat armed late would be written, and armed again, for ever. */
export function stopConnection(connection: Connection): void {
  connection.socket_ready = false;
  clearTimeout(connection.heartbeat_out);
}

export function isReceiver(link: Sender | Receiver): link is Receiver {
  return link.is_receiver();
}
