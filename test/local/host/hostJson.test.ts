import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { HostConfigurationError } from '../../../local/host/errors.ts';
import { parseTimeSpanMs, readHostJson } from '../../../local/host/hostJson.ts';

function read(t: TestContext, content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'host-json-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'host.json'), content);
  return readHostJson(folder);
}

describe('host.json', () => {
  test('what is missing has the defaults of the real host', (t) => {
    assert.deepEqual(read(t, '{"version":"2.0"}'), {
      functionTimeoutMs: 1_800_000,
      routePrefix: 'api',
      eventHubs: {
        maxEventBatchSize: 100,
        minEventBatchSize: 1,
        batchCheckpointFrequency: 1,
        prefetchCount: 300,
        initialOffsetOptions: { type: 'fromStart' },
      },
    });
  });

  test('what is set is read, and what the local host does not know is left alone', (t) => {
    const content = {
      version: '2.0',
      functionTimeout: '-1',
      logging: { any: 1 },
      extensions: {
        http: { routePrefix: '/v1/' },
        eventHubs: {
          maxEventBatchSize: 256,
          batchCheckpointFrequency: 5,
          transportType: 'amqpTcp',
          initialOffsetOptions: { type: 'fromEnqueuedTime', enqueuedTimeUtc: '2026-01-01T00:00:00Z' },
        },
      },
    };
    assert.deepEqual(read(t, JSON.stringify(content)), {
      functionTimeoutMs: undefined,
      routePrefix: 'v1',
      eventHubs: {
        maxEventBatchSize: 256,
        minEventBatchSize: 1,
        batchCheckpointFrequency: 5,
        prefetchCount: 300,
        initialOffsetOptions: { type: 'fromEnqueuedTime', enqueuedTimeUtc: '2026-01-01T00:00:00Z' },
      },
    });
  });

  test('what cannot be obeyed is refused', (t) => {
    const wrong = [
      'no json',
      '{"version":"1.0"}',
      '{"version":"2.0","functionTimeout":"5 minutes"}',
      '{"version":"2.0","extensions":{"eventHubs":{"minEventBatchSize":10}}}',
      '{"version":"2.0","extensions":{"eventHubs":{"initialOffsetOptions":{"type":"fromNow"}}}}',
    ];
    for (const content of wrong) {
      assert.throws(() => read(t, content), HostConfigurationError, content);
    }
  });

  test('time spans have days and fractions', () => {
    assert.deepEqual(['00:10:00', '1.02:03:04.5', '00:00:00.80', '10:00', '00:00:5x'].map(parseTimeSpanMs), [
      600_000,
      93_784_500,
      800,
      undefined,
      undefined,
    ]);
  });
});
