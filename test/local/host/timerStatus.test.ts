import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { startAzurite } from '../../../local/azurite.ts';
import { HostConfigurationError } from '../../../local/host/errors.ts';
import { eventually, journal, startFixture } from './testApp.ts';

test('a monitored timer that missed its moment runs once at start, past due, and its status is kept', async (t) => {
  const azurite = await startAzurite();
  t.after(() => azurite.close());
  const { path, entries } = journal(t);
  const settings = {
    AzureWebJobsStorage: azurite.connectionString,
    JOURNAL: path,
    AzureFunctionsWebHost__hostid: 'me',
  };
  const blob = BlobServiceClient.fromConnectionString(azurite.connectionString)
    .getContainerClient('azure-webjobs-hosts')
    .getBlockBlobClient('timers/me/yearly/status');
  const read = async () => JSON.parse(String(await blob.downloadToBuffer()));

  const first = await startFixture(t, 'monitored', { settings });
  await first.close();
  assert.deepEqual(entries(), []);
  const year = new Date().getUTCFullYear();
  assert.equal((await read()).Next, `${year + 1}-01-01T00:00:00.000Z`);

  const missed = {
    Last: '2001-01-01T00:00:00.000Z',
    Next: '2002-01-01T00:00:00.000Z',
    LastUpdated: '2001-01-01T00:00:00.000Z',
  };
  await blob.upload(JSON.stringify(missed), JSON.stringify(missed).length);
  const second = await startFixture(t, 'monitored', { settings });
  await eventually(() => entries().length > 0);
  await second.close();
  assert.deepEqual(entries(), [
    {
      schedule: { adjustForDST: true },
      scheduleStatus: { last: missed.Last, next: missed.Next, lastUpdated: missed.LastUpdated },
      isPastDue: true,
    },
  ]);
  assert.equal((await read()).Next, `${year + 1}-01-01T00:00:00.000Z`);
});

test('a monitored timer needs storage', async (t) => {
  await assert.rejects(startFixture(t, 'monitored'), HostConfigurationError);
});
