import rhea, { type Delivery, type Message, type Receiver, type Sender } from 'rhea';
import { AMQP_CONDITION } from './errors.ts';
import type { LinkHandler } from './linkHandler.ts';
import { deliveryFacts, MAX_MESSAGE_BYTES } from './transferGuard.ts';

const REQUEST_CREDIT = 100;

/**
 * A link on which a client sends requests to a node (`$cbs`, `$management`). The answer goes out on the link of the same session on
 * which the client receives from that node; `correlation_id` tells the client which request it answers.
 */
export class RequestLink implements LinkHandler {
  readonly #receiver: Receiver;
  readonly #node: string;
  readonly #answer: (request: Message) => Message;

  constructor(receiver: Receiver, node: string, answer: (request: Message) => Message) {
    this.#receiver = receiver;
    this.#node = node;
    this.#answer = answer;
    receiver.set_credit_window(REQUEST_CREDIT);
    receiver.add_credit(REQUEST_CREDIT);
  }

  message(delivery: Delivery, payload: Buffer): void {
    const request = this.#decode(payload);
    if (request === undefined) {
      delivery.reject({ condition: AMQP_CONDITION.decodeError, description: 'The request cannot be decoded.' });
      return;
    }
    delivery.accept();
    const sender = this.#replyLink(request);
    if (sender?.sendable()) {
      const answer = this.#answer(request);
      sender.send(request.message_id === undefined ? answer : { ...answer, correlation_id: request.message_id });
    }
  }

  closed(): void {}

  #decode(payload: Buffer): Message | undefined {
    const { bytes, aborted } = deliveryFacts(this.#receiver);
    if (aborted || bytes > MAX_MESSAGE_BYTES) {
      return undefined;
    }
    try {
      return { body: undefined, ...rhea.message.decode(payload) };
    } catch {
      return undefined;
    }
  }

  #replyLink(request: Message): Sender | undefined {
    const { session } = this.#receiver;
    const fromNode = (sender: Sender): boolean => sender.source?.address === this.#node;
    const named = session.find_sender(
      (sender: Sender) => fromNode(sender) && sender.target?.address === request.reply_to,
    );
    return named ?? session.find_sender(fromNode);
  }
}
