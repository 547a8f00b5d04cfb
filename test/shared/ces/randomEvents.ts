import fc from 'fast-check';
import type { SampleEvent } from '../../../local/samples/sampleEvent.ts';
import { type SplitEncoding, splitEvent } from '../../../local/samples/splitEvent.ts';

/** Texts that are hard to split: quotes and escapes that grow at each level, emoji, combining characters, look-alike events. */
const hardText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: fc.constantFrom('"', '\\', '\n', '😀', '👩‍👩‍👧', 'é', '\u0000', '{', '}', 'ß'), maxLength: 40 }),
  fc.constantFrom('{"eventsource":{},"eventrow":{"old":"{}","current":"{}"}}', ''),
);

/** One row's history: an insert, updates and perhaps a delete, each an event of its own, in commit order. */
export interface RandomEvent {
  readonly event: SampleEvent;
  readonly bodies: readonly Uint8Array[];
}

const split = fc.record({
  encoding: fc.constantFrom<SplitEncoding>('json', 'json-utf16', 'avro'),
  base: fc.constantFrom<0 | 1>(0, 1),
  /** Places to cut at, in thousandths of the data's length: doubles would come mostly close to 0, and cut nothing off. */
  cuts: fc.array(fc.integer({ min: 0, max: 1000 }), { minLength: 0, maxLength: 199 }),
});

/**
 * Up to `maxEvents` events of tables with 1 to 60 columns. Keys are few, so that rows get several events. `run` keeps the
 * tables of different runs apart.
 */
export function randomEvents(run: () => number, maxEvents: number): fc.Arbitrary<readonly RandomEvent[]> {
  const event = fc.record({
    key: fc.integer({ min: 1, max: 4 }),
    operation: fc.constantFrom<SampleEvent['operation']>('INS', 'UPD', 'DEL'),
    texts: fc.array(fc.option(hardText, { freq: 8 }), { minLength: 60, maxLength: 60 }),
    split,
  });
  return fc
    .tuple(fc.integer({ min: 1, max: 60 }), fc.array(event, { minLength: 1, maxLength: maxEvents }))
    .map(([width, events]) => {
      const table = tableOf(run(), width);
      return events.map(({ key, operation, texts, split: how }, at) => {
        const row = {
          Id: key,
          ...Object.fromEntries(table.columns.slice(1).map(({ name }, n) => [name, texts[n] ?? null])),
        };
        const lsn = `000000B1:${at.toString(16).toUpperCase().padStart(8, '0')}:0001`;
        const sample: SampleEvent = {
          id: `a1b2c3d4-0000-4000-8000-${String(at).padStart(12, '0')}`,
          time: '2026-08-07T16:30:10.123Z',
          operation,
          table,
          sentColumns: table.columns.map(({ name }) => name),
          keys: { Id: key },
          commitLsn: lsn,
          beginLsn: lsn,
          sequenceNumber: 1,
          old: operation === 'INS' ? null : row,
          current: operation === 'DEL' ? null : row,
        };
        return { event: sample, bodies: bodiesOf(sample, how) };
      });
    });
}

function tableOf(run: number, width: number): SampleEvent['table'] {
  const columns = Array.from({ length: width - 1 }, (_, n) => ({ name: `Column ${n} 😀`, type: 'nvarchar(max)' }));
  return {
    db: 'Random',
    schema: 'dbo',
    tbl: `Run${run}`,
    columns: [{ name: 'Id', type: 'int' }, ...columns],
    key: ['Id'],
    logicalPrefix: `run-${run}`,
  };
}

function bodiesOf(
  event: SampleEvent,
  { encoding, base, cuts }: { encoding: SplitEncoding; base: 0 | 1; cuts: number[] },
) {
  const [whole] = splitEvent(event, { encoding, base });
  const length = whole?.byteLength ?? 0;
  return splitEvent(event, { encoding, base, cuts: cuts.map((part) => Math.floor((part * length) / 1000)) });
}
