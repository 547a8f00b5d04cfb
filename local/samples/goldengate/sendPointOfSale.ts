import type { StackDescription } from '../../stack.ts';
import { POS_TABLES, pointOfSale } from './pointOfSale.ts';
import { dataRecord, metadataRecord, STREAM_RECORD, schemaRecord } from './renderStream.ts';

const POINT_OF_SALE = { seed: 20_260_713, orders: 40 } as const;
const RECORDS_PER_FRAME = 50;

/** The frames of a Data Stream: schemas and metadata first, then the rows. Each is the text of one message. */
export function* pointOfSaleFrames(
  { seed, orders } = POINT_OF_SALE as { seed: number; orders: number },
): Generator<string> {
  const records = [
    ...POS_TABLES.map(schemaRecord),
    STREAM_RECORD,
    ...POS_TABLES.map(metadataRecord),
    ...[...pointOfSale({ seed, orders })].map(dataRecord),
  ];
  for (let start = 0; start < records.length; start += RECORDS_PER_FRAME) {
    yield JSON.stringify(records.slice(start, start + RECORDS_PER_FRAME));
  }
}

/** Posts the frames of a small point of sale to the stream `pos`. Returns the number of records. */
export async function sendPointOfSale(stack: StackDescription): Promise<number> {
  let records = 0;
  for (const body of pointOfSaleFrames()) {
    const response = await fetch(`${stack.functionsUrl}/api/goldengate/pos`, {
      method: 'POST',
      headers: { 'x-functions-key': stack.functionKey, 'content-type': 'application/json' },
      body,
    });
    if (!response.ok) throw new Error(`the sample frames of GoldenGate were not taken: status ${response.status}`);
    records += ((await response.json()) as { received: number }).received;
  }
  return records;
}
