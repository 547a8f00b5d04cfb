import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { dataAvro, metadataAvro } from '../../local/samples/qlik/renderAvro.ts';
import { dataJson } from '../../local/samples/qlik/renderJson.ts';
import { EMPLOYEE, EMPLOYEE_WITH_EMAIL, staffEvents } from '../../local/samples/qlik/staff.ts';
import { SeededRandom } from '../../local/samples/random.ts';
import { canonicalJson } from '../../shared/change/json.ts';
import { startTestStack, type TestStack } from '../stack/testStack.ts';

/** Printed with the result; set it to see a failing run again. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);
const CHANGES = 5_000;
const MESSAGES_PER_REQUEST = 50;
const KILLS = 10;
const RETRY_MS = 100;

/** Posts a body until it is taken, as a sender does. */
async function postUntilTaken({ description }: TestStack, body: Uint8Array): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${description.functionsUrl}/api/qlik/hr`, {
        method: 'POST',
        headers: { 'x-functions-key': description.functionKey },
        body: Buffer.from(body),
      });
      await response.arrayBuffer();
      if (response.status === 200) return;
    } catch {
      // The connection went with the app.
    }
    await delay(RETRY_MS);
  }
}

describe(`with the app process killed while a Qlik task is posted (SEED=${SEED})`, () => {
  test(`${KILLS} times among ${CHANGES} changes, half of them before their metadata, rows equal those of the source`, async () => {
    const stack = await startTestStack();
    try {
      const random = new SeededRandom(SEED);
      const events = [...staffEvents(SEED, CHANGES)];
      const bodies: Uint8Array[] = [metadataAvro(EMPLOYEE)];
      for (let start = 0; start < events.length; start += MESSAGES_PER_REQUEST) {
        const batch = events.slice(start, start + MESSAGES_PER_REQUEST);
        bodies.push(random.oneIn(2) ? Buffer.concat(batch.map(dataAvro)) : Buffer.from(batch.map(dataJson).join('\n')));
      }
      bodies.push(metadataAvro(EMPLOYEE_WITH_EMAIL));
      const every = Math.floor(bodies.length / KILLS);
      for (const [at, body] of bodies.entries()) {
        const posting = postUntilTaken(stack, body);
        if (at % every === every - 1 || at === bodies.length - 1) {
          await delay(random.integer(0, 60));
          stack.host.killApp('SIGKILL');
        }
        await posting;
      }
      const source = new Map<string, string>();
      for (const { operation, data } of events) {
        source.set(String(data?.emp_no), operation === 'DELETE' ? 'deleted' : canonicalJson(data));
      }
      const rows = (await stack.rows()).map(({ id, row, deleted }) => [id, deleted ? 'deleted' : canonicalJson(row)]);
      assert.deepEqual(Object.fromEntries(rows), Object.fromEntries(source));
      assert.deepEqual(await stack.documents('parked'), []);
      assert.deepEqual(await stack.documents('deadletters'), []);
    } finally {
      await stack.close();
    }
  });
});
