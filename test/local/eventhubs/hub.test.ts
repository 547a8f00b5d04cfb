import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import rhea from 'rhea';
import { HubConfigError, RefusedError } from '../../../local/eventhubs/errors.ts';
import { Hub, Hubs } from '../../../local/eventhubs/hub.ts';
import { parseEvent } from '../../../local/eventhubs/rawMessage.ts';

const RETENTION = { maxEvents: 10, maxBytes: 10_000 };
const keyless = parseEvent(rhea.message.encode({ body: 1 }));

describe('hubs', () => {
  test('have four partitions unless told otherwise', () => {
    assert.deepEqual(
      new Hub({ name: 'a' }, RETENTION).partitions.map(({ id }) => id),
      ['0', '1', '2', '3'],
    );
  });

  test('spread events without a key over their partitions', () => {
    const hub = new Hub({ name: 'a', partitions: 3 }, RETENTION);
    const routed = [1, 2, 3, 4, 5, 6].map(() => hub.route([keyless]).id);
    assert.deepEqual(routed.toSorted(), ['0', '0', '1', '1', '2', '2']);
  });

  for (const config of [
    { name: '' },
    { name: 'a/b' },
    { name: '$Default' },
    { name: 'a', partitions: 0 },
    { name: 'a', partitions: 1.5 },
    { name: 'a', consumerGroups: ['x y'] },
  ]) {
    test(`cannot be ${JSON.stringify(config)}`, () => {
      assert.throws(() => new Hub(config, RETENTION), HubConfigError);
    });
  }

  test('are found without regard to case, and only once', () => {
    const hubs = new Hubs(RETENTION);
    hubs.add({ name: 'Ces' });
    assert.equal(hubs.get('cES').name, 'Ces');
    assert.throws(() => hubs.add({ name: 'CES' }), HubConfigError);
    assert.throws(
      () => hubs.get('other'),
      (error) => error instanceof RefusedError && error.condition === 'amqp:not-found',
    );
  });
});
