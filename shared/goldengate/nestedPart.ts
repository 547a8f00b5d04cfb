import type { Part } from '../body/parts.ts';
import type { JsonValue } from '../change/json.ts';

/**
 * An element of a list that came in an envelope: a part with bytes of its own, so that one which is kept does not keep
 * all the others with it.
 */
export class NestedPart implements Part {
  readonly content: JsonValue;
  /** Its share of what the list came in. */
  readonly byteLength: number;

  constructor(content: JsonValue, byteLength: number) {
    this.content = content;
    this.byteLength = byteLength;
  }

  /**
   * Written anew each time they are asked for. A number that no double holds is a text of its digits by now, and is
   * read as that again.
   */
  get bytes(): Uint8Array {
    return Buffer.from(JSON.stringify(this.content));
  }
}

/** The elements of `list` as parts, one by one: an envelope of few bytes may hold millions. */
export function* nestedParts(list: readonly JsonValue[], byteLength: number): Generator<Part> {
  const share = Math.ceil(byteLength / list.length);
  for (const content of list) yield new NestedPart(content, share);
}
