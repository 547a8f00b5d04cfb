import assert from 'node:assert/strict';
import { BlobServiceClient } from '@azure/storage-blob';
import { VALUES_CONTAINER } from '../../shared/store/valueStore.ts';
import type { TestStore } from './testStore.ts';

/** Deletes all large values from Blob Storage, as an operator might. */
export async function loseAllValues({ config: { storage } }: TestStore): Promise<void> {
  assert.ok('connectionString' in storage);
  const account = BlobServiceClient.fromConnectionString(storage.connectionString);
  const container = account.getContainerClient(VALUES_CONTAINER);
  for await (const { name } of container.listBlobsFlat()) await container.deleteBlob(name);
}
