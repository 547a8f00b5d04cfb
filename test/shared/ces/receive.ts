import assert from 'node:assert/strict';
import { decodeEnvelope } from '../../../shared/ces/envelope.ts';
import { type CesChange, type CesDelivery, CesNormaliser, type CesStreamFacts } from '../../../shared/ces/normalise.ts';
import { openEnvelope } from '../../../shared/ces/reassembly.ts';
import { type DeadLetterReason, UnprocessableError } from '../../../shared/ingest/reasons.ts';

export const STREAM: CesStreamFacts = { stream: 'sales', epochs: [{ from: null, epoch: 0 }], databases: {} };

export const DELIVERY: CesDelivery = {
  hub: 'ces',
  partition: '3',
  sequenceNumber: 41,
  offset: '8192',
  enqueuedAt: '2026-08-07T16:25:01.000Z',
};

/** What one Event Hubs event with an unsplit CES event becomes. */
export function receive(body: Uint8Array | string, stream = STREAM, delivery = DELIVERY): CesChange {
  const envelope = decodeEnvelope(typeof body === 'string' ? Buffer.from(body) : body);
  const { payload } = openEnvelope(envelope);
  assert.ok(payload !== undefined, 'a whole event, not a segment');
  return new CesNormaliser(stream).normalise(envelope.attributes, payload, delivery);
}

/** The reason with which `work` refuses its input. */
export function reasonOf(work: () => unknown): DeadLetterReason {
  try {
    work();
  } catch (error) {
    assert.ok(error instanceof UnprocessableError, `unexpected ${error}`);
    return error.reason;
  }
  assert.fail('nothing was refused');
}

/** An event as JSON, built from small parts; whatever is given replaces the usual. */
export interface EventParts {
  readonly envelope?: { readonly [name: string]: unknown };
  readonly eventsource?: { readonly [name: string]: unknown };
  readonly data?: unknown;
  readonly old?: unknown;
  readonly current?: unknown;
}

const COLS = [
  { name: 'Id', type: 'int', index: 0 },
  { name: 'Qty', type: 'smallint', index: 4 },
];
export const TRANSACTION = {
  commitlsn: '0000000A:00000010:0001',
  beginlsn: '0000000A:0000000F:0001',
  sequencenumber: 1,
  finalevent: false,
  committime: '2026-01-02T03:04:05.007Z',
};

export function dataOf({ eventsource, old = '{}', current = '{"Id":"7","Qty":"1"}' }: EventParts = {}) {
  return {
    eventsource: {
      db: 'd',
      schema: 'dbo',
      tbl: 'T',
      cols: COLS,
      pkkey: [{ columnname: 'Id', value: '7' }],
      transaction: TRANSACTION,
      ...eventsource,
    },
    eventrow: { old, current },
  };
}

export function eventOf(parts: EventParts = {}): string {
  return JSON.stringify({
    specversion: '1.0',
    type: 'com.microsoft.SQL.CES.DML.V1',
    source: '/',
    id: 'a1',
    logicalid: 'g:0000000A000000100001:00000000000000000001',
    time: '2026-01-02T03:04:05.007Z',
    datacontenttype: 'application/json',
    operation: 'UPD',
    segmentindex: 0,
    finalsegment: true,
    data: 'data' in parts ? parts.data : JSON.stringify(dataOf(parts)),
    ...parts.envelope,
  });
}
