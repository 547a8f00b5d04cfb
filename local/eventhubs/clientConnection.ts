import type { Socket } from 'node:net';
import type { Connection, Container, Delivery, EventContext, Receiver, Sender, Session } from 'rhea';
import { parseAddress } from './address.ts';
import { answerClaim } from './cbs.ts';
import { AMQP_CONDITION, entityNotFound, RefusedError } from './errors.ts';
import { startingSequenceNumber } from './filter.ts';
import type { Hubs } from './hub.ts';
import type { LinkHandler } from './linkHandler.ts';
import { answerManagement } from './management.ts';
import { ReceiverLink } from './receiverLink.ts';
import { RequestLink } from './requestLink.ts';
import { awaitedFrameBytes, ignoreEndedChannels, stopConnection } from './rheaInternals.ts';
import { SenderLink } from './senderLink.ts';
import { guardTransfers, MAX_MESSAGE_BYTES } from './transferGuard.ts';

/** As in the service: larger messages come in several frames. */
const MAX_FRAME_BYTES = 65_536;
const SEND_SETTLED = 1;

const OWNER_LEVEL_PROPERTY = 'com.microsoft:epoch';
const RECEIVER_NAME_PROPERTY = 'com.microsoft:receiver-name';
const TRACK_PARTITION_CAPABILITY = 'com.microsoft:enable-receiver-runtime-metric';

/**
 * Without an idle timeout: on one machine the end of a client ends its socket, and rhea would leave timers behind that close busy
 * connections. rhea sends the heartbeats that the client's own idle timeout asks for.
 */
const CONNECTION_OPTIONS = {
  max_frame_size: MAX_FRAME_BYTES,
  receiver_options: { autoaccept: false, credit_window: 0, max_message_size: MAX_MESSAGE_BYTES },
  sender_options: { snd_settle_mode: SEND_SETTLED, max_message_size: MAX_MESSAGE_BYTES },
} as const;

/**
 * One client on one socket. rhea speaks the protocol; here its links are attached to hubs or refused, and whatever ends a link (detach,
 * end of the session, end of the socket) lets go of what it held. Bytes that are not the protocol end the socket and nothing else.
 */
export class ClientConnection {
  readonly #connection: Connection;
  readonly #socket: Socket;
  readonly #hubs: Hubs;
  readonly #links = new Map<Sender | Receiver, LinkHandler>();

  constructor(container: Container, socket: Socket, hubs: Hubs) {
    this.#socket = socket;
    this.#hubs = hubs;
    this.#connection = container.create_connection({ ...CONNECTION_OPTIONS, host: '127.0.0.1', port: 0 });
    ignoreEndedChannels(this.#connection);
    this.#listen();
    this.#connection.accept(socket);
    socket.on('data', () => this.#refuseHugeFrame());
    socket.on('close', () => {
      stopConnection(this.#connection);
      this.#dropLinks(() => true);
    });
  }

  /** Says goodbye to the client if it has come far enough to understand it, and ends the socket otherwise. */
  close(): void {
    if (this.#connection.is_open()) {
      this.#connection.close({ condition: AMQP_CONDITION.connectionForced, description: 'The broker is closing.' });
    } else {
      this.#socket.destroy();
    }
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    const on = (event: string, listener: (context: EventContext) => void): void => {
      this.#connection.on(event, listener);
    };
    const drop = ({ sender, receiver }: EventContext): void => {
      this.#dropLinks((link) => link === sender || link === receiver);
    };
    const dropSession = ({ session }: EventContext): void => this.#dropLinks((link) => link.session === session);
    on('session_open', ({ session }) => session && guardTransfers(session));
    on('receiver_open', ({ receiver }) => receiver && this.#attach(receiver, () => this.#openSender(receiver)));
    on('sender_open', ({ sender }) => sender && this.#attach(sender, () => this.#openReceiver(sender)));
    on('message', (context) => this.#receive(context.receiver, context.delivery, context.message));
    on('sender_flow', ({ sender }) => sender && this.#links.get(sender)?.flow?.());
    on('sendable', ({ sender }) => sender && this.#links.get(sender)?.flow?.());
    on('sender_draining', ({ sender }) => sender && this.#links.get(sender)?.drain?.());
    on('sender_close', drop);
    on('receiver_close', drop);
    on('session_close', dropSession);
    for (const failure of ['error', 'protocol_error']) {
      on(failure, () => this.#socket.destroy());
    }
    // rhea prints, or throws out of its own tick, what nobody listens to; each of these is followed by one of the above.
    for (const ended of [
      'sender_error',
      'receiver_error',
      'session_error',
      'connection_error',
      'connection_close',
      'disconnected',
    ]) {
      on(ended, () => {});
    }
  }

  /** rhea waits for the whole of a frame, however large its header says it is. */
  #refuseHugeFrame(): void {
    if ((awaitedFrameBytes(this.#connection) ?? 0) > MAX_FRAME_BYTES) {
      this.#socket.destroy();
    }
  }

  #attach(link: Sender | Receiver, open: () => LinkHandler): void {
    try {
      this.#links.set(link, open());
      if (link.source) {
        link.set_source({ address: link.source.address });
      }
      if (link.target) {
        link.set_target({ address: link.target.address });
      }
    } catch (error) {
      if (!(error instanceof RefusedError)) {
        throw error;
      }
      link.close(error.fields);
    }
  }

  #openSender(receiver: Receiver): LinkHandler {
    const address = receiver.target?.address ?? '';
    const target = parseAddress(address);
    switch (target?.kind) {
      case 'claims':
        return new RequestLink(receiver, address, answerClaim);
      case 'management':
        return new RequestLink(receiver, address, (request) => answerManagement(this.#hubs, request));
      case 'hub': {
        const hub = this.#hubs.get(target.hub);
        const partition = target.partitionId === undefined ? undefined : hub.partition(target.partitionId);
        return new SenderLink(receiver, hub, partition);
      }
      case 'consumer':
        throw new RefusedError(AMQP_CONDITION.notAllowed, `Nothing can be sent to '${address}'.`);
      default:
        throw entityNotFound(address);
    }
  }

  #openReceiver(sender: Sender): LinkHandler {
    const address = sender.source?.address ?? '';
    const source = parseAddress(address);
    switch (source?.kind) {
      case 'claims':
      case 'management':
        return { closed: () => {} };
      case 'consumer': {
        const hub = this.#hubs.get(source.hub);
        const readers = hub.readers(source.consumerGroup, source.partitionId);
        const partition = hub.partition(source.partitionId);
        const options = {
          name: String(sender.properties?.[RECEIVER_NAME_PROPERTY] ?? sender.name),
          ownerLevel: ownerLevelOf(sender),
          startSequenceNumber: startingSequenceNumber(selectorOf(sender), partition),
          tracksPartition: [sender.desired_capabilities].flat().includes(TRACK_PARTITION_CAPABILITY),
        };
        const link = new ReceiverLink(sender, this.#socket, partition, options, (reader) => readers.release(reader));
        try {
          readers.admit(link);
        } catch (error) {
          link.closed();
          throw error;
        }
        return link;
      }
      case 'hub':
        throw new RefusedError(AMQP_CONDITION.notAllowed, `Nothing can be received from '${address}'.`);
      default:
        throw entityNotFound(address);
    }
  }

  #receive(receiver: Receiver | undefined, delivery: Delivery | undefined, payload: unknown): void {
    if (receiver !== undefined && delivery !== undefined && Buffer.isBuffer(payload)) {
      this.#links.get(receiver)?.message?.(delivery, payload);
    }
  }

  #dropLinks(ended: (link: { readonly session: Session }) => boolean): void {
    for (const [link, handler] of this.#links) {
      if (ended(link)) {
        this.#links.delete(link);
        handler.closed();
      }
    }
  }
}

function ownerLevelOf(sender: Sender): number | undefined {
  const value: unknown = sender.properties?.[OWNER_LEVEL_PROPERTY];
  if (value === undefined || value === null) {
    return undefined;
  }
  if (typeof value !== 'number') {
    throw new RefusedError(AMQP_CONDITION.argumentError, `'${OWNER_LEVEL_PROPERTY}' must be a number.`);
  }
  return value;
}

/** The selector among the filters of a source; rhea leaves it wrapped, since its descriptor is not one of its own. */
function selectorOf(sender: Sender): string | undefined {
  const filters: Readonly<Record<string, unknown>> = sender.source?.filter ?? {};
  const filter = filters['apache.org:selector-filter:string'];
  if (typeof filter === 'object' && filter !== null && 'value' in filter) {
    return String(filter.value);
  }
  return typeof filter === 'string' ? filter : undefined;
}
