import { EMPLOYEE_8 } from '../local/samples/employee8.ts';
import { renderAvro, renderJson } from '../local/samples/render.ts';
import type { SampleEvent } from '../local/samples/sampleEvent.ts';
import { shopEvents } from '../local/samples/shop.ts';
import { CHANGE_EVENT_TYPE, DATA_TYPE } from '../shared/ces/avroTypes.ts';
import { decodeEnvelopes } from '../shared/ces/envelope.ts';
import { CesNormaliser } from '../shared/ces/normalise.ts';
import { openEnvelope } from '../shared/ces/reassembly.ts';
import { compete } from './contest/compete.ts';
import { thousands } from './contest/thousands.ts';

export const name = 'ces-decode';

const DELIVERY = { hub: 'ces', partition: '0', sequenceNumber: 1, offset: '1', enqueuedAt: '2026-08-07T16:25:01.000Z' };

interface Contest {
  readonly label: string;
  readonly bodies: readonly Buffer[];
  readonly floorLabel: string;
  /** The least that any consumer has to do with a body. */
  readonly floor: (body: Buffer) => unknown;
}

/**
 * Decoding and normalising whole events, against the bare parsing that no consumer can do without: `JSON.parse` of the
 * envelope, of `data` and of both images; for Avro the bare decoder, with and without the images, which are JSON there too.
 */
export async function run({ seconds }: { readonly seconds: number }): Promise<readonly string[]> {
  const shop = [...shopEvents({ seed: 1, changes: 500 })];
  const contests: readonly Contest[] = [
    {
      label: 'JSON, 4 columns',
      bodies: asJson(EMPLOYEE_8),
      floorLabel: 'three-level JSON.parse',
      floor: parseThreeLevels,
    },
    { label: 'JSON, shop', bodies: asJson(shop), floorLabel: 'three-level JSON.parse', floor: parseThreeLevels },
    { label: 'Avro, 4 columns', bodies: asAvro(EMPLOYEE_8), floorLabel: 'bare avsc', floor: decodeBare },
    {
      label: 'Avro, 4 columns',
      bodies: asAvro(EMPLOYEE_8),
      floorLabel: 'avsc + JSON.parse of images',
      floor: decodeWithImages,
    },
    { label: 'Avro, shop', bodies: asAvro(shop), floorLabel: 'avsc + JSON.parse of images', floor: decodeWithImages },
  ];
  return contests.map((contest) => compare(contest, (2 * seconds * 1000) / contests.length));
}

function compare({ label, bodies, floorLabel, floor }: Contest, milliseconds: number): string {
  const normaliser = new CesNormaliser({ stream: 'bench', epochs: [{ from: null, epoch: 0 }], databases: {} });
  const subject = (body: Buffer) => {
    for (const envelope of decodeEnvelopes(body)) {
      const { payload } = openEnvelope(envelope);
      if (payload === undefined) throw new Error('the benchmark has whole events only');
      normaliser.normalise(envelope.attributes, payload, DELIVERY);
    }
  };
  const rates = compete({ floor, subject }, bodies, milliseconds);
  const share = Math.round((100 * rates.subject) / rates.floor);
  return `${label}: ${thousands(rates.subject)} events/s, ${share} % of ${floorLabel} (${thousands(rates.floor)} events/s)`;
}

function parseThreeLevels(body: Buffer): unknown {
  const { eventrow } = JSON.parse(JSON.parse(body.toString()).data);
  return [JSON.parse(eventrow.old), JSON.parse(eventrow.current)];
}

function decodeBare(body: Buffer): unknown {
  return DATA_TYPE.fromBuffer(CHANGE_EVENT_TYPE.fromBuffer(body).data);
}

function decodeWithImages(body: Buffer): unknown {
  const { eventrow } = DATA_TYPE.fromBuffer(CHANGE_EVENT_TYPE.fromBuffer(body).data);
  return [JSON.parse(eventrow.old), JSON.parse(eventrow.current)];
}

function asJson(events: readonly SampleEvent[]): readonly Buffer[] {
  return events.map((event) => Buffer.from(renderJson(event)));
}

function asAvro(events: readonly SampleEvent[]): readonly Buffer[] {
  return events.map((event) => Buffer.from(renderAvro(event)));
}
