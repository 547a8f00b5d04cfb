const REQUESTS_IN_FLIGHT = 4;

/** Runs `run` for each of `items`, a few at a time. */
export async function inFlight<Item>(items: readonly Item[], run: (item: Item) => Promise<void>): Promise<void> {
  const queue = items.values();
  const worker = async () => {
    for (const item of queue) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(REQUESTS_IN_FLIGHT, items.length) }, worker));
}
