import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { dataSchemaOf } from '../../local/samples/qlik/avroSchemas.ts';
import { dataAvro, dataRecordAvro, metadataAvro } from '../../local/samples/qlik/renderAvro.ts';
import { dataJson, metadataJson } from '../../local/samples/qlik/renderJson.ts';
import { EMPLOYEE, EMPLOYEE_WITH_EMAIL, staffEvents } from '../../local/samples/qlik/staff.ts';
import type { Answer } from '../../shared/body/answer.ts';
import type { StreamStatus } from '../../shared/operate/status.ts';
import { startTestStack, type TestStack } from './testStack.ts';

const JSON_STREAM = 'inJson';
const AVRO_STREAM = 'inAvro';

/** What depends on when something was written, or on how a stream is called. */
const TIMES = new Set(['updatedAt', 'ingestedAt', 'receivedAt', 'startedAt', 'lastRowAt']);

describe('a Qlik task through the running stack', () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack();
  });
  after(() => stack.close());

  async function send(method: string, path: string, body: Uint8Array | string, headers: Record<string, string> = {}) {
    const { functionsUrl, functionKey } = stack.description;
    const response = await fetch(`${functionsUrl}/api/qlik/${path}`, {
      method,
      headers: { 'x-functions-key': functionKey, ...headers },
      body: Buffer.from(body),
    });
    return { status: response.status, body: (await response.json()) as Answer & { error?: string } };
  }

  /** Documents of one stream with the stream's name and times taken out, so that those of two streams compare. */
  async function unnamed(container: 'rows' | 'changes' | 'catalog', stream: string) {
    const documents = await stack.documents<{ stream: string }>(container);
    const texts = documents
      .filter((document) => document.stream === stream)
      .map((document) => JSON.stringify(document, (name, value) => (TIMES.has(name) ? undefined : value)))
      .map((text) => text.replaceAll(stream, 'STREAM').replaceAll(/~\d{20}/g, '~ARRIVAL'));
    return texts.map((text) => ({ ...JSON.parse(text), ...(container === 'changes' ? { id: '' } : {}) })).sort(byText);
  }

  test('gives equal rows, changes and catalog entries from JSON and from Avro, every documented field among them', async () => {
    const events = [...staffEvents(7, 60)];
    const tables = [EMPLOYEE, EMPLOYEE_WITH_EMAIL];
    const json = `[${[...tables.map(metadataJson), ...events.map(dataJson)].join(',')}]`;
    const avro = Buffer.concat([...tables.map(metadataAvro), ...events.map(dataAvro)]);
    const inJson = await send('POST', JSON_STREAM, json, { 'content-type': 'application/json' });
    const inAvro = await send('POST', AVRO_STREAM, avro, { 'content-type': 'application/avro' });
    const counts = {
      received: 82,
      applied: 80,
      duplicate: 0,
      stale: 0,
      parked: 0,
      deadLettered: 0,
      catalog: 2,
      ignored: 0,
    };
    assert.deepEqual(
      [inJson, inAvro],
      [
        { status: 200, body: { ...counts, errors: [] } },
        { status: 200, body: { ...counts, errors: [] } },
      ],
    );
    for (const container of ['rows', 'changes', 'catalog'] as const) {
      const expected = await unnamed(container, JSON_STREAM);
      assert.ok(expected.length > 3, container);
      assert.deepEqual(await unnamed(container, AVRO_STREAM), expected, container);
    }
  });

  test('keeps every field of both kinds of messages', async () => {
    type Known = {
      id: string;
      stream: string;
      version?: Record<string, unknown>;
      origin?: Record<string, unknown>;
      op?: string;
      transaction?: unknown;
      committedAt?: unknown;
    };
    const catalog = await stack.documents<Known>('catalog');
    const version = catalog.find(
      ({ id, stream }) => stream === AVRO_STREAM && id === `qlik-version:${EMPLOYEE.schemaId}`,
    )?.version;
    const columns = EMPLOYEE.columns.map(({ name, type, precision = 0, scale = 0, keyPosition = 0 }, index) => {
      return {
        name,
        ordinal: index + 1,
        type,
        length: 10,
        precision,
        scale,
        primaryKeyPosition: keyPosition,
        nullable: null,
      };
    });
    assert.deepEqual(version, {
      schemaId: EMPLOYEE.schemaId,
      table: 'hr.employee',
      lineage: {
        server: 'replicate-1',
        task: 'hr to cosmos',
        schema: 'hr',
        table: 'employee',
        tableVersion: 1,
        timestamp: '2024-05-01T10:20:30.123',
      },
      columns,
      key: ['emp_no'],
      dataSchema: JSON.stringify(dataSchemaOf(EMPLOYEE)),
    });
    const changes = await stack.documents<Known>('changes');
    const update = changes.find(({ stream, op }) => stream === AVRO_STREAM && op === 'update');
    assert.ok(update?.origin !== undefined);
    const { operation, changeSequence, timestamp, streamPosition, transactionId, changeMask, columnMask, ...rest } =
      update.origin;
    assert.match(String(changeSequence), /^\d{35}$/);
    assert.match(String(streamPosition), /^mysql-bin/);
    assert.match(`${changeMask} ${columnMask}`, /^[0-9A-F]{4} 0[37]FF$/);
    assert.deepEqual(
      { operation, ...rest, committedAt: update.committedAt, transaction: update.transaction },
      {
        operation: 'UPDATE',
        externalSchemaId: null,
        transactionEventCounter: 1,
        transactionLastEvent: true,
        messageSchemaId: rest.messageSchemaId,
        committedAt: `${timestamp}Z`,
        transaction: { id: transactionId, sequence: 1, last: true },
      },
    );
  });

  test('reads what a schema registry framed once its schema is registered, and keeps it until then', async () => {
    const [, event] = [...staffEvents(9, 4)].slice(-2);
    assert.ok(event !== undefined);
    const framed = Buffer.concat([Buffer.from([0, 0, 0, 0, 42]), dataRecordAvro(event)]);
    const early = await send('POST', 'framed', framed);
    assert.deepEqual([early.status, early.body.parked], [200, 1]);
    const schema = JSON.stringify(dataSchemaOf(event.table));
    const registered = await send(
      'PUT',
      'framed/schemas/42',
      JSON.stringify({ schema, table: 'hr.employee', key: ['emp_no'] }),
    );
    assert.deepEqual([registered.status, registered.body.catalog], [200, 1]);
    const rows = (await stack.rows()).filter(({ stream }) => stream === 'framed');
    assert.deepEqual(
      rows.map(({ table, keys }) => [table, keys]),
      [['qlik/framed/hr.employee', { emp_no: event.data?.emp_no }]],
    );
    assert.deepEqual(await stack.documents('parked'), []);
  });

  test('is told what is wrong with a schema, a body, a name', async () => {
    const answers = await Promise.all([
      send('PUT', 'framed/schemas/43', '{"schema":"{\\"type\\":\\"record\\",\\"name\\":\\"a b\\",\\"fields\\":[]}"}'),
      send('PUT', 'framed/schemas/x', '{"type":"record","name":"A","fields":[]}'),
      send('PUT', 'framed/schemas/44', 'nonsense'),
      send('POST', 'bad', 'nonsense'),
      send('POST', 'bad', 'atMSGnonsense'),
      send('POST', 'bad', '<xml/>', { 'content-type': 'application/xml' }),
      send('POST', '-', '{}'),
      send('POST', 'bad', '', {}),
    ]);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400, 400, 400, 400, 400, 415, 400, 200],
    );
    for (const { body } of answers.slice(0, -1)) assert.equal(typeof body.error, 'string');
  });

  test('shows in the status, as one stream with its numbers', async () => {
    const response = await stack.get('/api/status', stack.description.functionKey);
    const { streams } = (await response.json()) as { streams: readonly StreamStatus[] };
    const found = streams
      .filter(({ source }) => source === 'qlik')
      .map(({ stream, received, applied, parked, catalog }: StreamStatus & { catalog?: number }) => {
        return { stream, received, applied, parked, catalog };
      });
    assert.deepEqual(
      found
        .filter(({ stream }) => stream === JSON_STREAM || stream === 'framed')
        .map(({ stream, received, applied, parked }) => [stream, received, applied, parked])
        .sort(),
      [
        ['framed', 1, 1, 1],
        [JSON_STREAM, 82, 80, 0],
      ],
    );
  });
});

function byText(a: object, b: object): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
