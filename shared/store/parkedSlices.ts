/** What a slice holds at most, in base64 characters, unless it is of one record. */
const SLICE_CHARACTERS = 4 * 1_024 * 1_024;

/** Cuts `items` into runs that are small enough to be in memory at once, in their order. */
export function* slicesOf<Item>(
  items: readonly Item[],
  charactersOf: (item: Item) => number,
): Generator<readonly Item[]> {
  let slice: Item[] = [];
  let total = 0;
  for (const item of items) {
    const characters = charactersOf(item);
    if (slice.length > 0 && total + characters > SLICE_CHARACTERS) {
      yield slice;
      slice = [];
      total = 0;
    }
    slice.push(item);
    total += characters;
  }
  if (slice.length > 0) yield slice;
}
