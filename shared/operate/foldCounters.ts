import type { CounterDocument, CounterStore } from '../store/counters.ts';

/** Counters that nobody has written for so long belong to instances that are gone. */
const RIPE_MS = 7 * 86_400_000;
const DOCUMENTS_PER_SWEEP = 100;
const PAST = 'past';

/**
 * Instances come and go, and each leaves a document of counters behind; without end, they would make reading the status
 * ever dearer. So those of instances that are gone are added to one document per stream, and deleted:
 * 1. The sum is written together with the ids of what it counts now. From here on whoever reads leaves those out.
 * 2. They are deleted. 3. Their ids are taken off the list.
 * The document is read before the others are looked for and written only if it is still that version; so of two sweeps at
 * once one folds, and after a crash the next one goes on where the list says. Returns how many were folded.
 * Throws StoreUnavailableError.
 */
export async function foldCounters(
  store: Pick<CounterStore, 'all' | 'read' | 'replace' | 'remove'>,
  now = Date.now(),
): Promise<number> {
  let folded = 0;
  const byStream = Map.groupBy(await store.all(), ({ source, stream }) => `counters:${source}:${stream}:${PAST}`);
  for (const [id, documents] of byStream) {
    if (ripeOf(documents, now).length > 0 || documents.some(({ folding = [] }) => folding.length > 0)) {
      folded += await foldOne(store, id, now);
    }
  }
  return folded;
}

async function foldOne(
  store: Pick<CounterStore, 'all' | 'read' | 'replace' | 'remove'>,
  id: string,
  now: number,
): Promise<number> {
  const past = await store.read(id);
  const own = (await store.all()).filter(({ source, stream }) => `counters:${source}:${stream}:${PAST}` === id);
  const unfinished = past?.document.folding ?? [];
  const ripe = unfinished.length > 0 ? [] : ripeOf(own, now);
  const [first] = ripe;
  if (unfinished.length > 0) await store.remove(unfinished);
  else if (first === undefined) return 0;
  else {
    const sum = ripe.reduce(add, past?.document ?? emptyLike(first, id));
    const document = { ...sum, folding: ripe.map((each) => each.id) };
    if ((await store.replace(document, past?.etag)) === 'conflict') return 0;
    await store.remove(document.folding);
  }
  const written = await store.read(id);
  if (written !== undefined) await store.replace({ ...written.document, folding: [] }, written.etag);
  return ripe.length;
}

function ripeOf(documents: readonly CounterDocument[], now: number): CounterDocument[] {
  const isRipe = ({ instance, updatedAt }: CounterDocument) =>
    instance !== PAST && now - Date.parse(updatedAt) > RIPE_MS;
  return documents.filter(isRipe).slice(0, DOCUMENTS_PER_SWEEP);
}

function emptyLike({ kind, source, stream, startedAt }: CounterDocument, id: string): CounterDocument {
  const nothing = { counts: {}, minutes: {}, requestUnits: 0, throttled: 0, lagSeconds: null };
  return { id, kind, source, stream, instance: PAST, startedAt, updatedAt: startedAt, ...nothing };
}

function add(sum: CounterDocument, document: CounterDocument): CounterDocument {
  const names = new Set([...Object.keys(sum.counts), ...Object.keys(document.counts)]);
  const counts = [...names].map((name) => [name, (sum.counts[name] ?? 0) + (document.counts[name] ?? 0)]);
  const isNewer = document.updatedAt > sum.updatedAt;
  return {
    ...sum,
    counts: Object.fromEntries(counts),
    requestUnits: sum.requestUnits + document.requestUnits,
    throttled: sum.throttled + document.throttled,
    updatedAt: isNewer ? document.updatedAt : sum.updatedAt,
    lagSeconds: isNewer ? document.lagSeconds : sum.lagSeconds,
  };
}
