import type { GoldenGateStream } from '../../../shared/config.ts';
import type { TestStore } from '../testStore.ts';
import { countsOf, instanceOn, post } from './consumerOn.ts';

let streams = 0;

/** A stream that nobody has used, and what it leaves in `store`. */
export async function newStreamOn(store: TestStore, settings: Partial<GoldenGateStream> = {}) {
  const stream = `s${streams++}`;
  const { consumer } = await instanceOn(store, stream, settings);
  const of = async (container: 'rows' | 'changes' | 'catalog') =>
    (await store.documents(container)).filter((each) => each.stream === stream);
  return {
    stream,
    post: async (body: object | string, headers?: Readonly<Record<string, string>>) =>
      countsOf(await post(consumer, stream, body, headers)),
    /** Id -> row. */
    async rows() {
      return Object.fromEntries((await of('rows')).map((row) => [row.id, row.deleted ? 'deleted' : row.row]));
    },
    of,
  };
}
