import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { EventHubConsumerClient, EventHubProducerClient, earliestEventPosition } from '@azure/event-hubs';
import rhea, { type Connection } from 'rhea';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import { receive } from './collector.ts';

const AMQP_HEADER = Buffer.from([...Buffer.from('AMQP'), 0, 1, 0, 0]);

describe('a broker survives', () => {
  let broker: Broker;
  let producer: EventHubProducerClient;
  let consumer: EventHubConsumerClient;
  let sent = 0;

  before(async () => {
    broker = await startBroker({ hubs: [{ name: 'hub', partitions: 1 }] });
    producer = new EventHubProducerClient(broker.connectionString, 'hub');
    consumer = new EventHubConsumerClient('$Default', broker.connectionString, 'hub');
  });
  after(async () => {
    await producer.close();
    await consumer.close();
    await broker.close();
  });

  async function assertAlive(): Promise<void> {
    await producer.sendBatch([{ body: sent }]);
    sent += 1;
    const events = await receive(consumer, '0', earliestEventPosition, sent);
    assert.deepEqual(
      events.map(({ body }) => String(body).slice(0, 10)),
      Array.from({ length: sent }, (_, index) => String(index)),
    );
  }

  /** Sends bytes and waits until the broker has ended the connection. */
  async function assertHungUp(bytes: Buffer): Promise<void> {
    const socket = connect(broker.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    const closed = once(socket, 'close');
    socket.write(bytes);
    await closed;
  }

  for (const [name, bytes] of [
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: x\r\n\r\n')],
    ['TLS', Buffer.from('160301020001000001fc0303', 'hex')],
    ['random bytes', randomBytes(5000)],
    ['random bytes after a good header', Buffer.concat([AMQP_HEADER, Buffer.from([0, 0, 0, 40]), randomBytes(5000)])],
    ['a frame that claims gigabytes', Buffer.concat([AMQP_HEADER, Buffer.from([0xff, 0xff, 0xff, 0xf0, 2, 0, 0, 0])])],
    ['a frame of no bytes', Buffer.concat([AMQP_HEADER, Buffer.alloc(16)])],
  ] as const) {
    test(name, async () => {
      await assertHungUp(bytes);
      await assertAlive();
    });
  }

  test('a client that connects and says nothing', async () => {
    const socket = connect(broker.port, '127.0.0.1');
    await once(socket, 'connect');
    await assertAlive();
    socket.destroy();
  });

  /** A raw AMQP client, whose socket the test can destroy. */
  function rawClient(): { connection: Connection; socket: () => Socket } {
    let socket: Socket | undefined;
    const connection = rhea.create_container().connect({
      connection_details: () => ({
        host: '127.0.0.1',
        port: broker.port,
        connect: (port: number, host: string, _: object, connected: () => void) => {
          socket = connect(port, host, connected);
          return socket;
        },
      }),
      port: broker.port,
      username: 'x',
      reconnect: false,
    });
    connection.on('disconnected', () => {});
    connection.on('error', () => {});
    return {
      connection,
      socket: () => {
        assert.ok(socket !== undefined);
        return socket;
      },
    };
  }

  test('a socket that is destroyed in the middle of a message, of which nothing is kept', async () => {
    const { connection, socket } = rawClient();
    const sender = connection.open_sender('hub');
    await once(sender, 'sendable');
    const { bytesWritten } = socket();
    const write = socket().write.bind(socket());
    socket().write = (chunk: string | Uint8Array) => {
      if (socket().bytesWritten > bytesWritten + 300_000) {
        socket().destroy();
      }
      return write(chunk);
    };
    sender.send(rhea.message.encode({ body: 'x'.repeat(900_000) }), undefined, 0);
    await once(socket(), 'close');
    await assertAlive();
  });

  test('a receiver whose socket is destroyed, and lets go of its owner level', async () => {
    const { connection, socket } = rawClient();
    const receiver = connection.open_receiver({
      source: 'hub/ConsumerGroups/$Default/Partitions/0',
      properties: { 'com.microsoft:epoch': rhea.types.wrap_long(100) },
    });
    await once(receiver, 'receiver_open');
    socket().destroy();
    await assertAlive();
  });

  for (const [name, open] of [
    ['an unknown address', (connection: Connection) => connection.open_sender('hub/else/where')],
    ['no address', (connection: Connection) => connection.open_receiver({ source: { address: '' } })],
    ['a hub to receive from', (connection: Connection) => connection.open_receiver('hub')],
    [
      'an endless selector',
      (connection: Connection) =>
        connection.open_receiver({
          source: {
            address: 'hub/ConsumerGroups/$Default/Partitions/0',
            filter: { 'apache.org:selector-filter:string': rhea.types.wrap_described("' OR 1=1", 0x468c00000004) },
          },
        }),
    ],
  ] as const) {
    test(`a link to ${name}, which it refuses`, async () => {
      const { connection } = rawClient();
      const link = open(connection);
      const [context] = await Promise.race([once(link, 'sender_error'), once(link, 'receiver_error')]);
      assert.match(
        String(context.sender?.error.condition ?? context.receiver?.error.condition),
        /^(amqp|com.microsoft):/,
      );
      const closed = once(connection, 'connection_close');
      connection.close();
      await closed;
      await assertAlive();
    });
  }

  test('requests that are no requests', async () => {
    const { connection } = rawClient();
    for (const node of ['$cbs', '$management']) {
      const sender = connection.open_sender(node);
      await once(sender, 'sendable');
      sender.send(Buffer.from('damaged'), undefined, 0);
      await once(sender, 'rejected');
      sender.send({ body: 'nobody listens for the answer' });
      await once(sender, 'accepted');
    }
    const closed = once(connection, 'connection_close');
    connection.close();
    await closed;
    await assertAlive();
  });
});
