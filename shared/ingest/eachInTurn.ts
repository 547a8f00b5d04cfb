/**
 * Does `work` for one of `items` after another, until the time is up. One that fails keeps no other from its turn. Throws at
 * the end what failed: the error itself, or an AggregateError of several, whose message has theirs.
 */
export async function eachInTurn<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<void>,
  isTimeUp: () => boolean = () => false,
): Promise<void> {
  const errors: unknown[] = [];
  for await (const item of items) {
    if (isTimeUp()) break;
    try {
      await work(item);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length === 1) throw errors[0];
  if (errors.length > 1) throw new AggregateError(errors, errors.map(messageOf).join('; '));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
