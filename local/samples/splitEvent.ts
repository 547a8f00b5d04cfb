import { avroData, avroEnvelope, jsonData, jsonEnvelope, type SegmentMark } from './render.ts';
import type { SampleEvent } from './sampleEvent.ts';

/**
 * `json`: JSON envelopes around pieces of the data's UTF-8 bytes, so a piece may begin or end inside a character and its
 * envelope is then no valid UTF-8. `json-utf16`: the data is cut as UTF-16 text, so a piece may end in half a surrogate
 * pair. `avro`: Avro envelopes around pieces of Avro bytes.
 */
export type SplitEncoding = 'json' | 'json-utf16' | 'avro';

export interface SplitOptions {
  readonly encoding: SplitEncoding;
  /** Index of the first segment. */
  readonly base: 0 | 1;
  /** Number of segments of about equal size, or the most bytes (or UTF-16 units) of data in one, or the places to cut at. */
  readonly segments?: number;
  readonly maxBytes?: number;
  readonly cuts?: readonly number[];
}

/** The bodies of the Event Hubs events that carry `event` in segments, in order. Cuts fall where they fall, as the source's do. */
export function splitEvent(event: SampleEvent, options: SplitOptions): readonly Uint8Array[] {
  if (options.encoding === 'avro') {
    const data = avroData(event);
    return pieces(data.length, options).map(([start, end], at, all) =>
      avroEnvelope(event, markOf(event, at, all.length, options), data.subarray(start, end)),
    );
  }
  const text = jsonData(event);
  if (options.encoding === 'json-utf16') {
    return pieces(text.length, options).map(([start, end], at, all) =>
      jsonEnvelope(event, markOf(event, at, all.length, options), JSON.stringify(text.slice(start, end))),
    );
  }
  const data = Buffer.from(text);
  return pieces(data.length, options).map(([start, end], at, all) =>
    jsonEnvelope(event, markOf(event, at, all.length, options), jsonStringOf(data.subarray(start, end))),
  );
}

/** Where to cut `length` bytes: pairs of start and end. A piece is never empty. */
function pieces(length: number, { segments = 1, maxBytes, cuts }: SplitOptions): readonly [number, number][] {
  const size = maxBytes ?? Math.max(1, Math.ceil(length / segments));
  const places = cuts ?? Array.from({ length: Math.ceil(length / size) - 1 }, (_, at) => (at + 1) * size);
  const inside = [...new Set(places)].filter((place) => place > 0 && place < length).sort((a, b) => a - b);
  const edges = [0, ...inside, length];
  return edges.slice(1).map((end, at) => [edges[at] ?? 0, end]);
}

/** Each segment has an `id` of its own; `logicalid` is what they share. */
function markOf({ id }: SampleEvent, at: number, count: number, { base }: SplitOptions): SegmentMark {
  const ownId = at === 0 ? id : `${id.slice(0, -4)}${at.toString(16).padStart(4, '0')}`;
  return { id: ownId, index: at + base, final: at === count - 1 };
}

/** A JSON string around bytes that need not be whole characters: quotes and backslashes escaped, all else as it is. */
function jsonStringOf(bytes: Uint8Array): Uint8Array {
  return Buffer.from(JSON.stringify(Buffer.from(bytes).toString('latin1')), 'latin1');
}
