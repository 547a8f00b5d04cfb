import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkHealth } from '../../../shared/operate/health.ts';

const up = { name: 'up', touch: async () => {} };

describe('health', () => {
  test('is up when every dependency answers', async () => {
    const { status, dependencies } = await checkHealth([up]);
    assert.equal(status, 'up');
    assert.equal(dependencies.up?.status, 'up');
  });

  test('is down when one does not, and says which and why', async () => {
    const down = { name: 'down', touch: () => Promise.reject(new Error('refused')) };
    const { status, dependencies } = await checkHealth([up, down]);
    assert.equal(status, 'down');
    assert.deepEqual(
      [dependencies.up?.status, dependencies.down?.status, dependencies.down?.detail],
      ['up', 'down', 'refused'],
    );
  });

  test('is down when one does not answer in time', async (context) => {
    context.mock.timers.enable({ apis: ['setTimeout'] });
    const checked = checkHealth([{ name: 'slow', touch: () => new Promise<void>(() => {}) }]);
    context.mock.timers.tick(5_000);
    const { status, dependencies } = await checked;
    assert.equal(status, 'down');
    assert.equal(dependencies.slow?.detail, 'no answer within 5000 ms');
  });
});
