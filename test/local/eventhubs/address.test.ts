import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAddress } from '../../../local/eventhubs/address.ts';

for (const [address, expected] of [
  ['$cbs', { kind: 'claims' }],
  ['$management', { kind: 'management' }],
  ['ces', { kind: 'hub', hub: 'ces', partitionId: undefined }],
  ['/ces', { kind: 'hub', hub: 'ces', partitionId: undefined }],
  ['amqps://example.net/ces/Partitions/3', { kind: 'hub', hub: 'ces', partitionId: '3' }],
  [
    'ces/ConsumerGroups/$default/Partitions/0',
    { kind: 'consumer', hub: 'ces', consumerGroup: '$default', partitionId: '0' },
  ],
  ['', undefined],
  ['ces/Other/1', undefined],
  ['ces/Partitions', undefined],
] as const) {
  test(`the address '${address}' is read`, () => {
    assert.deepEqual(parseAddress(address), expected);
  });
}
