import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { EventHubProducerClient } from '@azure/event-hubs';
import { EMPLOYEE_8_INSERT } from '../../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../../local/samples/render.ts';
import type { Status } from '../../shared/operate/status.ts';
import { eventually, startTestStack, type TestStack } from './testStack.ts';

const STREAMS = {
  ces: [
    { stream: 'sales', eventHub: 'sales-hub', databases: { EmployeesDb: 'OldName' } },
    { stream: 'hr.eu', eventHub: 'hr-hub', consumerGroup: 'tributary', epochs: [{ from: null, epoch: 7 }] },
  ],
};

describe('several CES streams', () => {
  let stack: TestStack;
  before(async () => {
    stack = await startTestStack({ STREAMS: JSON.stringify(STREAMS) });
  });
  after(() => stack.close());

  const sendTo = async (hub: string, event: { body: Buffer; properties?: Record<string, unknown> }) => {
    const producer = new EventHubProducerClient(stack.description.eventHubsConnectionString, hub);
    await producer.sendBatch([event as never]);
    await producer.close();
  };

  test('have a function each', () => {
    const names = stack.host.functions.filter(({ kind }) => kind === 'eventHub').map(({ name }) => name);
    assert.deepEqual(names, ['cesEvents', 'cesEvents_hr-eu']);
  });

  test('have names, epochs, database names and counters of their own', async () => {
    await sendTo('sales-hub', { body: Buffer.from(renderJson(EMPLOYEE_8_INSERT)) });
    await sendTo('hr-hub', { body: Buffer.from(renderAvro(EMPLOYEE_8_INSERT)) });
    const rows = await eventually(
      () => stack.rows(),
      (found) => found.length === 2,
    );
    assert.deepEqual(
      rows.map(({ table, stream, token }) => ({ table, stream, token })),
      [
        {
          table: 'ces/hr.eu/EmployeesDb.dbo.Employees',
          stream: 'hr.eu',
          token: '0007:000000B1000008A80007:00000000000000000001:2',
        },
        {
          table: 'ces/sales/OldName.dbo.Employees',
          stream: 'sales',
          token: '0000:000000B1000008A80007:00000000000000000001:2',
        },
      ],
    );
    const read = async () => {
      const answer = await stack.get('/api/status', stack.description.functionKey);
      const { streams } = (await answer.json()) as Status;
      return streams
        .filter(({ source }) => source === 'ces')
        .map(({ stream, received, applied }) => [stream, received, applied]);
    };
    const expected = [
      ['sales', 1, 1],
      ['hr.eu', 1, 1],
    ];
    assert.deepEqual(await eventually(read, (found) => JSON.stringify(found) === JSON.stringify(expected)), expected);
  });

  test('take events of a producer that speaks Kafka: headers are bytes, and nothing depends on them', async () => {
    const properties = {
      'content-type': Buffer.from('application/avro-json'),
      ce_specversion: Buffer.from([0, 255, 1]),
    };
    await sendTo('sales-hub', { body: Buffer.from(renderJson(EMPLOYEE_8_INSERT)), properties });
    const read = async () => {
      const answer = await stack.get('/api/status', stack.description.functionKey);
      return ((await answer.json()) as Status).streams.find(({ stream }) => stream === 'sales');
    };
    const status = await eventually(read, (found) => found?.received === 2);
    assert.deepEqual([status?.received, status?.duplicate, status?.deadLettered], [2, 1, 0]);
  });
});
