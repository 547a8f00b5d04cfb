import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, type TestContext, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type EventData, EventHubProducerClient } from '@azure/event-hubs';
import { BlobServiceClient } from '@azure/storage-blob';
import { type Azurite, startAzurite } from '../../../local/azurite.ts';
import { type Broker, startBroker } from '../../../local/eventhubs/broker.ts';
import type { FunctionsHostOptions } from '../../../local/host/host.ts';
import { eventually, journal, startFixture } from './testApp.ts';

interface Entry {
  readonly event: 'start' | 'done';
  readonly partition: string;
  readonly texts: string[];
  readonly retry?: { readonly retryCount: number; readonly maxRetryCount: number } | null;
  readonly metadata?: Record<string, unknown>;
  readonly binary?: boolean;
  readonly bytes?: string[];
}

describe('the Event Hub trigger', { concurrency: 4 }, () => {
  let broker: Broker;
  let azurite: Azurite;
  before(async () => {
    [broker, azurite] = await Promise.all([startBroker({ hubs: [] }), startAzurite()]);
  });
  after(() => Promise.all([broker.close(), azurite.close()]));

  /** A hub of its own for one test, with a journal and a way to start hosts on it. */
  async function prepare(t: TestContext, partitions = 1) {
    const hub = `hub-${randomUUID()}`;
    broker.addHub({ name: hub, partitions });
    const producer = new EventHubProducerClient(broker.connectionString, hub);
    t.after(() => producer.close());
    const { path, entries } = journal<Entry>(t);
    return {
      hub,
      entries,
      done: () => entries().flatMap(({ event, texts }) => (event === 'done' ? texts : [])),
      send: (texts: string[], partitionId = '0') =>
        producer.sendBatch(
          texts.map((text) => ({ body: Buffer.from(text) })),
          { partitionId },
        ),
      sendEvents: (events: EventData[], options: { partitionId?: string; partitionKey?: string }) =>
        producer.sendBatch(events, options),
      start: (env: Record<string, string> = {}, options: Partial<FunctionsHostOptions> = {}, app = 'events') =>
        startFixture(t, app, {
          settings: {
            AzureWebJobsStorage: azurite.connectionString,
            HUB: broker.connectionString,
            HUB_NAME: hub,
            JOURNAL: path,
            ...env,
          },
          ...options,
        }),
      checkpoint: async (partition = '0') => {
        const blob = BlobServiceClient.fromConnectionString(azurite.connectionString)
          .getContainerClient('azure-webjobs-eventhub')
          .getBlobClient(`127.0.0.1/${hub}/$default/checkpoint/${partition}`);
        return (await blob.exists()) ? (await blob.getProperties()).metadata?.sequencenumber : undefined;
      },
    };
  }

  test('a function gets the bytes as they were sent, and metadata that is aligned with them', async (t) => {
    const { start, sendEvents, entries, hub } = await prepare(t);
    const everyByte = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    await sendEvents(
      [
        { body: everyByte, properties: { EventType: 'x', n: 5 }, contentType: 'application/json', messageId: 'm1' },
        { body: Buffer.alloc(0) },
        { body: Buffer.from('{"a":9007199254740993}') },
      ],
      { partitionKey: 'key' },
    );
    await sendEvents([{ body: Buffer.from('12') }], { partitionId: '0' });
    await start();
    const batches = await eventually(() => {
      const found = entries().filter(({ event }) => event === 'done');
      return found.flatMap(({ texts }) => texts).length === 4 && found;
    });
    const collect = (name: string) => batches.flatMap(({ metadata }) => Object.values(Object(metadata?.[name])));
    assert.deepEqual(
      batches.flatMap(({ bytes }) => bytes),
      [everyByte.toString('hex'), '', Buffer.from('{"a":9007199254740993}').toString('hex'), '3132'],
    );
    assert.ok(batches.every(({ binary }) => binary));
    assert.deepEqual(collect('sequenceNumberArray'), [0, 1, 2, 3]);
    assert.deepEqual(collect('partitionKeyArray'), ['key', 'key', 'key']);
    assert.deepEqual(collect('propertiesArray'), [{ eventType: 'x', n: 5 }, {}, {}, {}]);
    const system = collect('systemPropertiesArray').map((properties) => Object(properties));
    assert.deepEqual(
      system.map(({ sequenceNumber, partitionKey, offset }) => [sequenceNumber, partitionKey, typeof offset]),
      [
        [0, 'key', 'string'],
        [1, 'key', 'string'],
        [2, 'key', 'string'],
        [3, null, 'string'],
      ],
    );
    assert.deepEqual([system[0]['message-id'], system[0]['content-type']], ['m1', 'application/json']);
    assert.match(system[0].enqueuedTimeUtc, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
    assert.deepEqual(batches[0]?.metadata?.partitionContext, {
      fullyQualifiedNamespace: '127.0.0.1',
      eventHubName: hub,
      consumerGroup: '$Default',
      partitionId: '0',
    });
  });

  test('sequence numbers come as halves when the worker is a newer one', async (t) => {
    const { start, send, entries } = await prepare(t);
    await send(['a', 'b']);
    await start({}, { sequenceNumberForm: 'long' });
    const metadata = await eventually(() => entries().find(({ event }) => event === 'done')?.metadata);
    assert.deepEqual(metadata.sequenceNumberArray, [
      { low: 0, high: 0, unsigned: false },
      { low: 1, high: 0, unsigned: false },
    ]);
  });

  test('batches are bounded, one at a time in a partition, and partitions run in parallel', async (t) => {
    const { start, send, entries, done } = await prepare(t, 2);
    const texts = Array.from({ length: 30 }, (_, index) => `e${index}`);
    await Promise.all([send(texts, '0'), send(texts, '1')]);
    await start({ HOLD_MS: '50' });
    await eventually(() => done().length === 60);
    for (const partition of ['0', '1']) {
      const own = entries().filter((entry) => entry.partition === partition);
      assert.deepEqual(
        own.filter(({ event }) => event === 'done').flatMap((entry) => entry.texts),
        texts,
      );
      assert.ok(own.every(({ texts: batch }) => batch.length <= 10));
      assert.ok(own.every(({ event }, index) => event === (index % 2 === 0 ? 'start' : 'done')));
    }
    const order = entries().map(({ event }) => event);
    assert.ok(order.some((event, index) => event === 'start' && order[index + 1] === 'start'));
  });

  test('without a retry policy the checkpoint passes a batch that failed: its events are lost', async (t) => {
    const { start, send, entries, done, checkpoint } = await prepare(t);
    await send(['poison', 'beside']);
    const host = await start({ FAIL_TIMES: '1' });
    await eventually(async () => (await checkpoint()) === '1');
    await host.close();
    await send(['after']);
    await start({ FAIL_TIMES: '1' });
    await eventually(() => done().includes('after'));
    assert.deepEqual(
      entries().map(({ event, texts }) => [event, texts]),
      [
        ['start', ['poison', 'beside']],
        ['start', ['after']],
        ['done', ['after']],
      ],
    );
  });

  test('a retried batch knows its retry, and holds the checkpoint until it has succeeded', async (t) => {
    const { start, send, entries, done, checkpoint } = await prepare(t);
    await send(['poison']);
    await start({ RETRY: 'fixed', FAIL_TIMES: '2' });
    await eventually(() => done().length === 1);
    const exception = (retry: Entry['retry']) => Object(Object(retry).exception).message;
    assert.deepEqual(
      entries()
        .filter(({ event }) => event === 'start')
        .map(({ retry }) => [retry?.retryCount, retry?.maxRetryCount, exception(retry)]),
      [
        [undefined, undefined, undefined],
        [1, 2, 'poisoned'],
        [2, 2, 'poisoned'],
      ],
    );
    await eventually(async () => (await checkpoint()) === '0');
  });

  test('after the last retry the checkpoint passes the batch', async (t) => {
    const { start, send, entries, done, checkpoint } = await prepare(t);
    await send(['poison']);
    await start({ RETRY: 'fixed', FAIL_TIMES: '99' });
    await eventually(async () => (await checkpoint()) === '0');
    await send(['after']);
    await eventually(() => done().includes('after'));
    assert.equal(entries().filter(({ texts }) => texts.includes('poison')).length, 3);
  });

  test('a batch that waits for its retry when the host closes gets no checkpoint, and comes again', async (t) => {
    const { start, send, entries, done, checkpoint } = await prepare(t);
    await send(['poison']);
    const host = await start({ RETRY: 'patient', FAIL_TIMES: '99' });
    await eventually(() => entries().length === 1);
    await delay(50);
    await host.close();
    assert.equal(await checkpoint(), undefined);
    await start({ RETRY: 'patient', FAIL_TIMES: '0' });
    await eventually(() => done().includes('poison'));
  });

  test('a batch that is running when the host closes may end, and is not delivered again', async (t) => {
    const { start, send, entries, done, checkpoint } = await prepare(t);
    await send(['a', 'b']);
    const host = await start({ HOLD_MS: '300' });
    await eventually(() => entries().length === 1);
    await host.close();
    assert.deepEqual([done(), await checkpoint()], [['a', 'b'], '1']);
    await send(['c']);
    await start();
    await eventually(() => done().includes('c'));
    assert.deepEqual(done(), ['a', 'b', 'c']);
  });

  test('without a checkpoint, fromEnd begins after the events that were there', async (t) => {
    const { start, send, done } = await prepare(t);
    await send(['before']);
    await start({}, {}, 'eventsFromEnd');
    await send(['after']);
    await eventually(() => done().length > 0);
    assert.deepEqual(done(), ['after']);
  });

  test('killing the app under traffic loses nothing with a retry policy', async (t) => {
    const { start, send, done } = await prepare(t, 4);
    const host = await start({ RETRY: 'endless', HOLD_MS: '5' });
    const sent: string[] = [];
    for (let round = 0; round < 5; round += 1) {
      for (let partition = 0; partition < 4; partition += 1) {
        const texts = Array.from({ length: 50 }, (_, index) => `${round}/${partition}/${index}`);
        await send(texts, String(partition));
        sent.push(...texts);
      }
      await delay(60);
      host.killApp();
    }
    await eventually(() => new Set(done()).size === sent.length);
    assert.deepEqual([...new Set(done())].sort(), sent.sort());
  });

  test('killing the app without a retry policy loses the batch that was running', async (t) => {
    const { start, send, entries, done, checkpoint } = await prepare(t);
    const host = await start({ HOLD_MS: '1000' });
    await send(['lost']);
    await eventually(() => entries().length === 1);
    host.killApp();
    await eventually(async () => (await checkpoint()) === '0');
    await send(['after']);
    await eventually(() => done().length > 0);
    assert.deepEqual(done(), ['after']);
  });

  test('a long trickle of single events arrives once and in order, though links are replaced meanwhile', async (t) => {
    const { start, send, done } = await prepare(t);
    await start();
    const texts = Array.from({ length: 24 }, (_, index) => `t${index}`);
    for (const text of texts) {
      await send([text]);
      await eventually(() => done().includes(text));
    }
    assert.deepEqual(done(), texts);
  });
});
