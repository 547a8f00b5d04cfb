import { EMPLOYEE_8_INSERT } from '../local/samples/employee8.ts';
import { jsonData } from '../local/samples/render.ts';
import { splitEvent } from '../local/samples/splitEvent.ts';
import { decodeEnvelope } from '../shared/ces/envelope.ts';
import { assemble, type CesSegment, openEnvelope } from '../shared/ces/reassembly.ts';

/** How the time to put segments together grows with their number: ten times the segments of one size, given twice each. */
export const name = 'reassembly';

const FEW = 20_000;
const MANY = 200_000;
const SEGMENT_BYTES = 100;
const MS_PER_SECOND = 1_000;

export async function run({ seconds }: { readonly seconds: number }): Promise<readonly string[]> {
  const [few, many] = [segments(FEW), segments(MANY)];
  const times: [number, number][] = [];
  for (const end = performance.now() + seconds * MS_PER_SECOND; performance.now() < end; ) {
    times.push([millisecondsFor(few), millisecondsFor(many)]);
  }
  const [forFew = 0, forMany = 0] = [0, 1].map((which) => Math.min(...times.map((pair) => pair[which] ?? 0)));
  return [
    `${FEW} segments: ${forFew.toFixed(2)} ms, ${MANY} segments: ${forMany.toFixed(2)} ms, ` +
      `${(forMany / forFew).toFixed(1)} x the time for ${MANY / FEW} x the bytes`,
  ];
}

function segments(count: number): readonly CesSegment[] {
  const bytes = count * SEGMENT_BYTES - jsonData(EMPLOYEE_8_INSERT).length;
  const event = { ...EMPLOYEE_8_INSERT, current: { ...EMPLOYEE_8_INSERT.current, Notes: 'x'.repeat(bytes) } };
  const bodies = splitEvent(event, { encoding: 'json', base: 0, maxBytes: SEGMENT_BYTES });
  return [...bodies, ...bodies].map((body) => {
    const { segment } = openEnvelope(decodeEnvelope(body));
    if (segment === undefined) throw new Error('the benchmark has segments only');
    return segment;
  });
}

function millisecondsFor(given: readonly CesSegment[]): number {
  const start = performance.now();
  if (assemble(given).state !== 'complete') throw new Error('the segments make no event');
  return performance.now() - start;
}
