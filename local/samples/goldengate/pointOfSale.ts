import { SeededRandom } from '../random.ts';
import type { PosEvent, PosRow, PosTable, PosValue } from './posEvent.ts';
import { rawNumber } from './rawNumber.ts';

export const ORDERS: PosTable = {
  name: 'POS.ORDERS',
  columns: {
    ORDER_ID: { type: 'number', key: true },
    STATUS: { type: 'string' },
    TOTAL_AMOUNT: { type: 'number' },
    RECEIPT_NO: { type: 'number' },
    CREATED_AT: { type: 'string' },
    NOTE: { type: 'string' },
  },
};

export const ORDER_LINES: PosTable = {
  name: 'POS.ORDER_LINES',
  columns: {
    ORDER_ID: { type: 'number', key: true },
    LINE_NO: { type: 'number', key: true },
    PRODUCT: { type: 'string' },
    QUANTITY: { type: 'number' },
  },
};

export const POS_TABLES: readonly PosTable[] = [ORDERS, ORDER_LINES];

const STATUSES = ['NEW', 'APPROVED', 'SHIPPED', 'RETURNED'] as const;
const PRODUCTS = ['speaker', 'cable', 'amplifier', 'turntable', 'Ölkanne'] as const;
const FIRST_SECOND = Date.UTC(2026, 6, 13, 4, 1, 1);

/** The trail of a small point of sale: orders come, change and sometimes go. Equal seeds make equal trails. */
export function* pointOfSale({
  seed,
  orders,
}: {
  readonly seed: number;
  readonly orders: number;
}): Generator<PosEvent> {
  const random = new SeededRandom(seed);
  let sequence = 0;
  let transaction = 1_000;
  const event = (table: PosTable, op: PosEvent['op'], before: PosRow | null, after: PosRow | null): PosEvent => ({
    table,
    op,
    time: new Date(FIRST_SECOND + Math.floor(sequence / 4) * 1_000).toISOString(),
    transaction: `${transaction}.10.24.${transaction % 97}`,
    sequence: sequence++,
    before,
    after,
  });
  for (let id = 1_001; id < 1_001 + orders; id++, transaction++) {
    const order: PosRow = {
      ORDER_ID: id,
      STATUS: 'NEW',
      TOTAL_AMOUNT: rawNumber(`${random.integer(1, 20_000)}.${String(random.integer(0, 99)).padStart(2, '0')}`),
      RECEIPT_NO: receiptNumber(random),
      CREATED_AT: `2026-07-13T04:01:01.${random.integer(100_000_000, 999_999_999)}`,
      NOTE: random.oneIn(3) ? 'gift, "wrapped"' : null,
    };
    yield event(ORDERS, 'INSERT', null, order);
    for (let line = 1; line <= random.integer(1, 3); line++) {
      const product = random.pick(PRODUCTS);
      yield event(ORDER_LINES, 'INSERT', null, {
        ORDER_ID: id,
        LINE_NO: line,
        PRODUCT: product,
        QUANTITY: random.integer(1, 9),
      });
    }
    let { STATUS } = order;
    for (let updates = random.integer(0, 3); updates > 0; updates--) {
      const next = random.pick(STATUSES);
      // As real streams do: the whole row before, the key and what changed after.
      yield event(ORDERS, 'UPDATE', { ...order, STATUS: STATUS ?? null }, { ORDER_ID: id, STATUS: next });
      STATUS = next;
    }
    if (random.oneIn(10)) yield event(ORDERS, 'DELETE', { ...order, STATUS: STATUS ?? null }, null);
  }
}

/** Old tills count by themselves; new ones fill the 38 digits that Oracle's NUMBER has. */
function receiptNumber(random: SeededRandom): PosValue {
  if (!random.oneIn(10)) return random.integer(1, 2_000_000_000);
  return rawNumber(`${random.integer(1, 9)}${'0123456789'.repeat(3)}${random.integer(1_000_000, 9_999_999)}`);
}
