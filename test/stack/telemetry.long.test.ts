import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { EMPLOYEE_8 } from '../../local/samples/employee8.ts';
import { renderJson } from '../../local/samples/render.ts';
import { BATCH_SPAN, METRICS } from '../../shared/telemetry/metricNames.ts';
import { selfSignedCertificate } from './selfSignedCertificate.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';
import { unpackBundle } from './unpackedBundle.ts';

/** What Application Insights takes in, as far as it is looked at here. */
const item = z.object({
  name: z.string(),
  data: z.object({
    baseData: z.looseObject({
      name: z.string().optional(),
      message: z.string().optional(),
      properties: z.record(z.string(), z.string()).default({}),
      metrics: z.array(z.object({ name: z.string(), value: z.number() })).default([]),
    }),
  }),
});
type Item = z.infer<typeof item>;

interface Ingestion {
  readonly url: string;
  readonly bodies: string[];
  items(): Item[];
  close(): Promise<void>;
}

/** An endpoint in the place of Application Insights that keeps what it is sent. */
async function startIngestion(): Promise<Ingestion> {
  const bodies: string[] = [];
  // The exporter speaks HTTPS alone.
  const server = createServer(selfSignedCertificate(), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      bodies.push(body.toString());
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ itemsReceived: 1, itemsAccepted: 1, errors: [] }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `https://127.0.0.1:${port}/`,
    bodies,
    items: () => bodies.flatMap((body) => z.array(item).parse(JSON.parse(body))),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Values in the rows of the three messages: none may leave the app in a trace, a number or a log line. */
const ROW_VALUES = /Nikol|Nikolic|2026-08-07T16:25:00\.88/;

describe('the bundled app that is told where telemetry goes', () => {
  let unpacked: Awaited<ReturnType<typeof unpackBundle>>;
  let ingestion: Ingestion;
  let stack: TestStack;
  const lines: string[] = [];
  before(async () => {
    [unpacked, ingestion] = await Promise.all([unpackBundle(), startIngestion()]);
    const settings = {
      APPLICATIONINSIGHTS_CONNECTION_STRING: `InstrumentationKey=11111111-1111-4111-8111-111111111111;IngestionEndpoint=${ingestion.url}`,
      APPLICATION_INSIGHTS_NO_STATSBEAT: 'true',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      OTEL_METRIC_EXPORT_INTERVAL: '250',
      OTEL_METRIC_EXPORT_TIMEOUT: '250',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    };
    stack = await startTestStack(settings, { appRoot: unpacked.appRoot, log: (line) => lines.push(line) });
    await stack.send(
      EMPLOYEE_8.map((event) => renderJson(event)),
      '0',
    );
    await stack.send([new TextEncoder().encode('Nikola is not an event')], '0');
    await eventually(
      () => stack.cesStatus(),
      (status) => status?.received === 4,
    );
    const { functionsUrl, functionKey } = stack.description;
    const swept = await fetch(`${functionsUrl}/admin/functions/sweep`, {
      method: 'POST',
      headers: { 'x-functions-key': functionKey, 'content-type': 'application/json' },
      body: '{"input": ""}',
    });
    assert.equal(swept.status, 202);
  });
  after(async () => {
    await stack?.close();
    await ingestion?.close();
    await unpacked?.remove();
  });

  /** Sum of what a metric was given, by its properties. */
  const sums = (name: string) => {
    const found = new Map<string, number>();
    for (const { properties, metrics } of ingestion.items().map(({ data }) => data.baseData)) {
      const key = Object.values(properties).join(' ');
      for (const metric of metrics) if (metric.name === name) found.set(key, (found.get(key) ?? 0) + metric.value);
    }
    return Object.fromEntries(found);
  };

  test('sends what became of the records', async () => {
    const expected = { 'ces ces applied': 3, 'ces ces deadLettered': 1 };
    await eventually(
      async () => sums(METRICS.records),
      (found) => isDeepStrictEqual(found, expected),
    );
    assert.deepEqual(sums(METRICS.records), expected);
    assert.ok((sums(METRICS.bytes)['ces ces'] ?? 0) > 3000);
  });

  test('sends a trace for each batch, with counts alone', async () => {
    const spans = () =>
      ingestion
        .items()
        .map(({ data }) => data.baseData)
        .filter(({ name }) => name === BATCH_SPAN)
        .map(({ properties }) => properties);
    const records = (found: readonly Readonly<Record<string, string>>[]) =>
      found.reduce((sum, each) => sum + Number(each.records), 0);
    await eventually(
      async () => records(spans()),
      (found) => found === 4,
    );
    assert.equal(records(spans()), 4);
    for (const span of spans()) {
      const { source, stream, ...counts } = span;
      assert.deepEqual({ source, stream }, { source: 'ces', stream: 'ces' });
      for (const name of Object.keys(counts)) assert.match(name, /^(records|applied|deadLettered)$/);
    }
  });

  test('sends that its functions run, and the gauges of every stream', async () => {
    const gauges = [METRICS.incompleteEvents, METRICS.oldestIncomplete, METRICS.blocked, METRICS.gaps];
    await eventually(
      async () => sums(METRICS.blocked),
      (found) => Object.keys(found).length === 2,
    );
    for (const name of gauges)
      assert.deepEqual(Object.keys(sums(name)).sort(), ['blob devstoreaccount1', 'ces ces'], name);
    assert.ok((sums(METRICS.lag)['ces ces'] ?? -1) >= 0);
    await eventually(
      async () => sums(METRICS.invocations),
      (found) => (found['sweep ok'] ?? 0) > 0,
    );
    const runs = sums(METRICS.invocations);
    assert.ok((runs['sweep ok'] ?? 0) > 0 && (runs['cesEvents ok'] ?? 0) > 0, JSON.stringify(runs));
  });

  test('sends and logs no row value, key or connection string', () => {
    const { cosmosKey, functionKey, blobConnectionString, eventHubsConnectionString } = stack.description;
    const secrets = [
      cosmosKey,
      functionKey,
      blobConnectionString,
      eventHubsConnectionString,
      'AccountKey',
      'SharedAccessKey',
    ];
    assert.ok(ingestion.bodies.length > 0);
    for (const text of [...ingestion.bodies, ...lines]) {
      assert.doesNotMatch(text, ROW_VALUES);
      for (const secret of secrets) assert.ok(!text.includes(secret), text);
    }
  });
});
