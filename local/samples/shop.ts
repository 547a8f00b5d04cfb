import type { Columns } from '../../shared/change/json.ts';
import { SeededRandom } from './random.ts';
import type { SampleEvent, SampleTable } from './sampleEvent.ts';
import { ShopClock, type ShopTransaction } from './shopClock.ts';
import { CUSTOMERS, ORDER_LINES, ORDERS, PRODUCTS } from './shopTables.ts';
import { email, moment, paragraph, personName, price, productTitle } from './shopValues.ts';

export interface ShopOptions {
  readonly seed: number;
  /** How many changes; transactions are not cut short, except by this number. */
  readonly changes: number;
  /** Characters in a product's description, at most: large ones make events that the source splits. */
  readonly descriptionCharacters?: number;
}

/** Orders that may still change or be cancelled; older ones are history. */
const MOST_OPEN_ORDERS = 500;
const MOST_LINES = 4;
const MOST_PRODUCTS = 2_000;

/**
 * The changes of a small shop, in commit order and lazily, so any number costs little memory: customers come and edit
 * their data, products are priced, sold out, dropped and taken up again under the same key, orders are placed (several
 * tables and a trigger in one transaction), noted on and cancelled. No key ever changes. One seed gives one history.
 */
export function* shopEvents({ seed, changes, descriptionCharacters = 80 }: ShopOptions): Generator<SampleEvent> {
  const shop = new Shop(seed, descriptionCharacters);
  for (let made = 0; made < changes; ) {
    for (const event of shop.transact().slice(0, changes - made)) {
      yield event;
      made++;
    }
  }
}

/** One change of a transaction, before the server gives it its place. */
interface Change {
  readonly table: SampleTable;
  readonly old: Columns | null;
  readonly current: Columns | null;
}

interface Order {
  readonly row: Columns;
  readonly lines: readonly Columns[];
}

class Shop {
  readonly #random: SeededRandom;
  readonly #clock: ShopClock;
  readonly #descriptionCharacters: number;
  readonly #customers: Columns[] = [];
  readonly #products: Columns[] = [];
  readonly #dropped: Columns[] = [];
  readonly #orders: Order[] = [];
  #nextOrderId = 9_007_199_254_740_993n;

  constructor(seed: number, descriptionCharacters: number) {
    this.#random = new SeededRandom(seed);
    this.#clock = new ShopClock(this.#random);
    this.#descriptionCharacters = descriptionCharacters;
  }

  /** The events of the next transaction. */
  transact(): readonly SampleEvent[] {
    const transaction = this.#clock.next();
    return this.#changes(transaction).map((change, at) => this.#event(change, transaction, at + 1));
  }

  #changes({ time }: ShopTransaction): readonly Change[] {
    const dice = this.#random.integer(1, 20);
    if (dice <= 2 || this.#customers.length === 0) return [this.#addCustomer(time)];
    if (dice <= 4 || this.#products.length === 0) return [this.#addProduct()];
    if (dice <= 7) return [this.#editCustomer()];
    if (dice <= 11) return [this.#editProduct()];
    if (dice === 12) return [this.#dropProduct()];
    if (dice <= 17 || this.#orders.length === 0) return this.#placeOrder(time);
    return dice <= 19 ? [this.#editOrder()] : this.#cancelOrder();
  }

  #addCustomer(time: string): Change {
    const name = personName(this.#random);
    const current = {
      CustomerId: this.#customers.length + 1,
      Name: name,
      Email: email(name, this.#customers.length + 1),
      IsActive: true,
      Discount: 0,
      CreatedAt: moment(this.#random, time),
      Birthday: this.#random.oneIn(3) ? null : `19${this.#random.integer(50, 99)}-0${this.#random.integer(1, 9)}-15`,
    };
    this.#customers.push(current);
    return { table: CUSTOMERS, old: null, current };
  }

  #editCustomer(): Change {
    const at = this.#random.integer(0, this.#customers.length - 1);
    const old = this.#customers[at] ?? {};
    const current = this.#random.oneIn(2)
      ? { ...old, IsActive: old.IsActive !== true }
      : { ...old, Name: personName(this.#random), Discount: this.#random.integer(0, 40) / 8 };
    this.#customers[at] = current;
    return { table: CUSTOMERS, old, current };
  }

  #addProduct(): Change {
    const isReturning = this.#dropped.length > 0 && this.#random.oneIn(2);
    const known = isReturning || this.#products.length >= MOST_PRODUCTS ? this.#dropped.pop() : undefined;
    const number = this.#products.length + this.#dropped.length + 1;
    const current = {
      Sku: known?.Sku ?? `S-${number}/${this.#random.integer(10, 99)}-${this.#nextOrderId % 9973n}`,
      Title: productTitle(this.#random),
      Price: price(this.#random, 4),
      Weight: this.#random.integer(1, 4000) / 64,
      Stock: this.#random.integer(0, 500),
      Description: paragraph(this.#random, this.#descriptionCharacters),
    };
    this.#products.push(current);
    return { table: PRODUCTS, old: null, current };
  }

  #editProduct(): Change {
    const at = this.#random.integer(0, this.#products.length - 1);
    const isTextual = this.#random.oneIn(4);
    const edit: Columns = isTextual
      ? { Title: productTitle(this.#random), Description: paragraph(this.#random, this.#descriptionCharacters) }
      : { Price: price(this.#random, 4) };
    return this.#changeProduct(at, edit);
  }

  #dropProduct(): Change {
    const [old = {}] = this.#products.splice(this.#random.integer(0, this.#products.length - 1), 1);
    this.#dropped.push(old);
    const { Description: _, ...small } = old;
    return { table: PRODUCTS, old: small, current: null };
  }

  /** The order, its lines, and what a trigger does to the stock of each product. */
  #placeOrder(time: string): readonly Change[] {
    const customer = this.#customers[this.#random.integer(0, this.#customers.length - 1)] ?? {};
    const orderId = String(this.#nextOrderId++);
    const count = this.#random.integer(1, Math.min(MOST_LINES, this.#products.length));
    const start = this.#random.integer(0, this.#products.length - count);
    const lines: Columns[] = [];
    const stock: Change[] = [];
    for (let line = 0; line < count; line++) {
      const product = this.#products[start + line] ?? {};
      const quantity = this.#random.integer(1, 5);
      lines.push({
        OrderId: orderId,
        LineNo: line + 1,
        Sku: product.Sku ?? '',
        Quantity: quantity,
        UnitPrice: product.Price ?? '0',
      });
      stock.push(this.#changeProduct(start + line, { Stock: Number(product.Stock) - quantity }));
    }
    const row = {
      OrderId: orderId,
      CustomerId: customer.CustomerId ?? 0,
      Reference: this.#random.guid(),
      Total: price(this.#random, 4),
      Status: 1,
      PlacedAt: `${moment(this.#random, time)}${this.#random.pick(['+02:00', '+00:00', '-07:30'])}`,
      DeliverBy: `1${this.#random.integer(0, 9)}:30:00`,
      Note: null,
    };
    this.#orders.push({ row, lines });
    if (this.#orders.length > MOST_OPEN_ORDERS) this.#orders.shift();
    return [insert(ORDERS, row), ...lines.map((line) => insert(ORDER_LINES, line)), ...stock];
  }

  #editOrder(): Change {
    const at = this.#random.integer(0, this.#orders.length - 1);
    const { row: old, lines } = this.#orders[at] ?? { row: {}, lines: [] };
    const current = { ...old, Status: this.#random.integer(2, 5), Note: paragraph(this.#random, 60) };
    this.#orders[at] = { row: current, lines };
    return { table: ORDERS, old, current };
  }

  #cancelOrder(): readonly Change[] {
    const [order] = this.#orders.splice(this.#random.integer(0, this.#orders.length - 1), 1);
    if (order === undefined) return [];
    return [
      ...order.lines.map((line) => ({ table: ORDER_LINES, old: line, current: null })),
      { table: ORDERS, old: order.row, current: null },
    ];
  }

  /** Changed columns only: the key and what changed, and no old value of the large column. */
  #changeProduct(at: number, edit: Columns): Change {
    const product = this.#products[at] ?? {};
    const key = { Sku: product.Sku ?? '' };
    const replaced = Object.keys(edit).filter((name) => name !== 'Description');
    this.#products[at] = { ...product, ...edit };
    return {
      table: PRODUCTS,
      old: { ...key, ...Object.fromEntries(replaced.map((name) => [name, product[name] ?? null])) },
      current: { ...key, ...edit },
    };
  }

  #event({ table, old, current }: Change, transaction: ShopTransaction, sequenceNumber: number): SampleEvent {
    const isPartial = table === PRODUCTS && old !== null && current !== null;
    const carried = current ?? old ?? {};
    return {
      ...transaction,
      id: this.#random.guid(),
      operation: old === null ? 'INS' : current === null ? 'DEL' : 'UPD',
      table,
      sentColumns: isPartial ? Object.keys(carried) : table.columns.map(({ name }) => name),
      keys: Object.fromEntries(table.key.map((name) => [name, carried[name] ?? null])),
      sequenceNumber,
      old,
      current,
    };
  }
}

function insert(table: SampleTable, current: Columns): Change {
  return { table, old: null, current };
}
