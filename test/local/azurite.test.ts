import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, test } from 'node:test';
import { BlobServiceClient } from '@azure/storage-blob';
import { type Azurite, AzuriteStartError, startAzurite } from '../../local/azurite.ts';
import { until } from './eventhubs/collector.ts';

function endpointOf(connectionString: string): string {
  return /BlobEndpoint=([^;]+)/.exec(connectionString)?.[1] ?? '';
}

async function isUp(endpoint: string): Promise<boolean> {
  try {
    await (await fetch(endpoint)).body?.cancel();
    return true;
  } catch {
    return false;
  }
}

describe('Azurite', () => {
  let azurite: Azurite;

  before(async () => {
    azurite = await startAzurite();
  });
  after(() => azurite.close());

  test('holds the container of the change feed', async () => {
    const container = BlobServiceClient.fromConnectionString(azurite.connectionString).getContainerClient(
      '$blobchangefeed',
    );
    await container.create();
    await container.getBlockBlobClient('idx/segments/1601/01/01/0000/meta.json').upload('{}', 2);
    const names: string[] = [];
    for await (const blob of container.listBlobsFlat()) {
      names.push(blob.name);
    }
    assert.deepEqual(names, ['idx/segments/1601/01/01/0000/meta.json']);
  });

  test('says so when its port is taken', async () => {
    const port = Number(new URL(endpointOf(azurite.connectionString)).port);
    await assert.rejects(startAzurite({ port }), AzuriteStartError);
  });

  test('ends when the process that started it is killed', async () => {
    const url = new URL('../../local/azurite.ts', import.meta.url).href;
    const script = `const { startAzurite } = await import('${url}'); console.log((await startAzurite()).connectionString);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(parent.stdout, 'data');
    const endpoint = endpointOf(String(line));
    assert.equal(await isUp(endpoint), true);
    parent.kill('SIGKILL');
    await until('the child to end', async () => !(await isUp(endpoint)));
  });
});
