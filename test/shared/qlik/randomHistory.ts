import type { QlikColumn, QlikEvent, QlikTable } from '../../../local/samples/qlik/qlikEvent.ts';
import type { SeededRandom } from '../../../local/samples/random.ts';
import type { Columns, JsonValue } from '../../../shared/change/json.ts';
import { rowId } from '../../../shared/change/keys.ts';

/** Messages that may come in any order among themselves; the first of a load comes before all others of its stretch. */
export interface Stretch {
  readonly opensLoad: boolean;
  readonly events: readonly QlikEvent[];
}

/** A random life of one table, and the rows that it ends in: id -> row, or undefined where the row was deleted. */
export interface RandomHistory {
  readonly versions: readonly QlikTable[];
  readonly stretches: readonly Stretch[];
  readonly rows: ReadonlyMap<string, Columns | undefined>;
}

const MAX_COLUMNS = 70;
const KEYS = 6;
const TYPES = [
  'STRING',
  'WSTRING',
  'BOOLEAN',
  'BYTES',
  'DATE',
  'TIME',
  'DATETIME',
  'INT1',
  'INT2',
  'INT4',
  'INT8',
  'UINT1',
  'UINT4',
  'UINT8',
  'REAL4',
  'REAL8',
  'NUMERIC',
  'CLOB',
  'BLOB',
] as const;

/** Plays a source that loads, captures, changes its table and reloads. */
export class RandomSource {
  readonly #random: SeededRandom;
  readonly #versions: QlikTable[] = [];
  /** What the source holds, with every column. */
  readonly #source = new Map<number, Columns>();
  /** What the messages so far have told: without what could not be captured. */
  readonly #told = new Map<string, Columns | undefined>();
  #sequence = 0;

  constructor(random: SeededRandom, name: string) {
    this.#random = random;
    const columns = Array.from({ length: random.integer(0, MAX_COLUMNS - 1) }, (_, at) =>
      this.#newColumn(`c${at + 2}`),
    );
    const key: QlikColumn = { name: 'id', type: random.pick(['INT4', 'INT8', 'STRING', 'NUMERIC']), keyPosition: 1 };
    const schemaId = this.#random.guid().replaceAll('-', '').toUpperCase();
    const all = columns.toSpliced(random.integer(0, columns.length), 0, key);
    this.#versions.push({ schema: 'hr', table: name, tableVersion: 1, schemaId, columns: all });
  }

  history(): RandomHistory {
    const stretches: Stretch[] = [];
    if (this.#random.oneIn(2)) stretches.push({ opensLoad: false, events: this.#changes() });
    for (let loads = this.#random.integer(1, 3); loads > 0; loads--) {
      const load = [...this.#source.keys()].map((id) => this.#refresh(id));
      if (load.length === 0) load.push(this.#loadedFirst());
      stretches.push({ opensLoad: true, events: [...load, ...this.#changes()] });
    }
    return { versions: this.#versions, stretches, rows: this.#told };
  }

  get #table(): QlikTable {
    const newest = this.#versions.at(-1);
    if (newest === undefined) throw new TypeError('there is always a version');
    return newest;
  }

  #loadedFirst(): QlikEvent {
    this.#source.set(1, this.#newRow(1));
    return this.#refresh(1);
  }

  #refresh(id: number): QlikEvent {
    const data = this.#whole(this.#source.get(id) ?? {});
    this.#told.set(this.#idOf(data), data);
    return { table: this.#table, operation: 'REFRESH', data, beforeData: null };
  }

  #changes(): QlikEvent[] {
    const events: QlikEvent[] = [];
    for (let left = this.#random.integer(1, 12); left > 0; left--) {
      if (this.#random.oneIn(6)) this.#alter();
      events.push(this.#change());
    }
    return events;
  }

  #change(): QlikEvent {
    const id = this.#random.integer(1, KEYS);
    const before = this.#source.get(id);
    if (before === undefined) {
      const data = this.#newRow(id);
      this.#source.set(id, data);
      return this.#event('INSERT', data, null);
    }
    if (this.#random.oneIn(5)) {
      this.#source.delete(id);
      const row = this.#whole(before);
      return this.#random.oneIn(2) ? this.#event('DELETE', row, null) : this.#event('DELETE', this.#keyOnly(row), row);
    }
    const data = { ...before };
    for (const column of this.#table.columns) {
      if (column.keyPosition === undefined && this.#random.oneIn(3)) data[column.name] = this.#value(column);
    }
    this.#source.set(id, data);
    return this.#event('UPDATE', data, this.#random.oneIn(3) ? null : before);
  }

  #event(operation: QlikEvent['operation'], row: Columns, before: Columns | null): QlikEvent {
    const data = this.#whole(row);
    const beforeData = before && this.#whole(before);
    const uncaptured = operation === 'DELETE' ? new Set<string>() : this.#uncaptured();
    this.#sequence++;
    this.#tell(operation, data, beforeData, uncaptured);
    return {
      table: this.#table,
      operation,
      data,
      beforeData,
      uncaptured,
      changeSequence: `2024050110203000${String(this.#sequence).padStart(19, '0')}`,
      timestamp: '2024-05-01T10:20:30.000',
      transactionId: String(this.#sequence).padStart(32, '0'),
      transactionEventCounter: 1,
      transactionLastEvent: true,
    };
  }

  #tell(
    operation: QlikEvent['operation'],
    data: Columns,
    beforeData: Columns | null,
    uncaptured: ReadonlySet<string>,
  ): void {
    const id = this.#idOf(data);
    if (operation === 'DELETE') return void this.#told.set(id, undefined);
    const known = (row: Columns | null) =>
      Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !uncaptured.has(name)));
    const isWhole = operation === 'INSERT' && uncaptured.size === 0;
    const earlier = isWhole ? {} : this.#told.get(id);
    this.#told.set(id, { ...earlier, ...(operation === 'UPDATE' ? known(beforeData) : {}), ...known(data) });
  }

  #uncaptured(): ReadonlySet<string> {
    if (!this.#random.oneIn(3)) return new Set();
    const columns = this.#table.columns.filter(({ keyPosition }) => keyPosition === undefined && this.#random.oneIn(3));
    return new Set(columns.map(({ name }) => name));
  }

  /** A column more or less, anywhere. */
  #alter(): void {
    const { columns } = this.#table;
    const added = this.#newColumn(`added${this.#versions.length}`);
    const at = this.#random.integer(0, columns.length);
    const victim = columns[at];
    const isDrop = this.#random.oneIn(2) && victim !== undefined && victim.keyPosition === undefined;
    this.#versions.push({
      ...this.#table,
      tableVersion: this.#table.tableVersion + 1,
      schemaId: this.#random.guid().replaceAll('-', '').toUpperCase(),
      columns:
        isDrop || columns.length === MAX_COLUMNS
          ? columns.filter((column) => column !== victim || !isDrop)
          : columns.toSpliced(at, 0, added),
    });
  }

  #newColumn(name: string): QlikColumn {
    const type = this.#random.pick(TYPES);
    return type === 'NUMERIC' ? { name, type, precision: 38, scale: this.#random.integer(0, 10) } : { name, type };
  }

  #newRow(id: number): Columns {
    const row = this.#table.columns.map((column): [string, JsonValue] => {
      if (column.keyPosition === undefined) return [column.name, this.#value(column)];
      return [column.name, column.type === 'INT4' || column.type === 'INT8' ? id : String(id)];
    });
    return Object.fromEntries(row);
  }

  /** The row with the columns of the table as it is now. */
  #whole(row: Columns): Columns {
    return Object.fromEntries(this.#table.columns.map(({ name }) => [name, row[name] ?? null]));
  }

  #keyOnly(row: Columns): Columns {
    return this.#whole({ id: row.id ?? null });
  }

  #idOf(row: Columns): string {
    return rowId([String(row.id)]);
  }

  #value({ type, scale = 0 }: QlikColumn): JsonValue {
    const random = this.#random;
    if (random.oneIn(5)) return null;
    const two = (least: number, most: number) => String(random.integer(least, most)).padStart(2, '0');
    const date = () => `${random.pick(['1993', '2024', '0900', '32767'])}-${two(1, 12)}-${two(1, 28)}`;
    switch (type) {
      case 'BOOLEAN':
        return random.oneIn(2);
      case 'BYTES':
      case 'BLOB':
        return random.guid().replaceAll('-', '').toUpperCase();
      case 'DATE':
        return date();
      case 'TIME':
        return `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}`;
      case 'DATETIME':
        return `${date()}T${two(0, 23)}:${two(0, 59)}:${two(0, 59)}.${String(random.integer(0, 999_999)).padStart(6, '0')}`;
      case 'INT1':
        return random.integer(-128, 127);
      case 'INT2':
      case 'UINT1':
        return random.integer(0, 255);
      case 'INT4':
      case 'UINT4':
        return random.integer(-2_000_000, 2_000_000);
      case 'INT8':
        return random.pick<JsonValue>([random.integer(-5, 5), '9223372036854775807', '-9007199254740993']);
      case 'UINT8':
        return random.pick<JsonValue>([random.integer(0, 5), '18446744073709551615']);
      case 'REAL4':
        return random.pick([0.1, -2.5, 1234567]);
      case 'REAL8':
        return random.fraction() * 1e6;
      case 'NUMERIC':
        return decimal(
          `${random.integer(-9, 9)}${random.integer(0, 999_999_999)}${random.integer(0, 999_999_999)}`,
          scale,
        );
      default:
        return random.pick(['', 'Zoë', 'NULL', '007', '1E5', '\u{1f680} "quoted"', 'a\u0000b', random.guid()]);
    }
  }
}

/** `digits` with a point before the last `scale` of them. */
function decimal(digits: string, scale: number): string {
  const sign = digits.startsWith('-') ? '-' : '';
  const units = String(BigInt(digits.replace('-', ''))).padStart(scale + 1, '0');
  return scale === 0 ? sign + units : `${sign}${units.slice(0, -scale)}.${units.slice(-scale)}`;
}
