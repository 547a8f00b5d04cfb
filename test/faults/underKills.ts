import { setTimeout as delay } from 'node:timers/promises';
import type { SeededRandom } from '../../local/samples/random.ts';
import type { TestStack } from '../stack/testStack.ts';

/** A body and the partition that it goes to. */
export interface Addressed {
  readonly body: Uint8Array;
  readonly partition: string;
}

/** Bodies that are sent before the next look at the clock. */
const SLICE = 400;
/** Between two kills the app lives this long at the most: sometimes it has hardly started, sometimes it is in full flow. */
const MAX_LIFE_MS = 2_000;

/** Sends `bodies` while it kills the app `kills` times; returns when all is sent and the last kill is done. */
export async function sendUnderKills(
  stack: TestStack,
  bodies: readonly Addressed[],
  kills: number,
  random: SeededRandom,
): Promise<void> {
  const killing = (async () => {
    for (let done = 0; done < kills; ) {
      await delay(random.integer(100, MAX_LIFE_MS));
      if (stack.host.appPid === undefined) continue;
      stack.host.killApp('SIGKILL');
      done++;
    }
  })();
  for (let start = 0; start < bodies.length; start += SLICE) {
    const byPartition = Map.groupBy(bodies.slice(start, start + SLICE), ({ partition }) => partition);
    for (const [partition, share] of byPartition)
      await stack.send(
        share.map(({ body }) => body),
        partition,
      );
  }
  await killing;
}
