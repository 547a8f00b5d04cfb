import type { TableSummary } from '../contract.ts';
import { arrowKeys, breakable, h, keyed } from '../dom.ts';
import { counted, tableName } from '../format.ts';
import { DetailPane } from '../parts/detailPane.ts';
import { RowHistoryView } from '../parts/rowHistory.ts';
import { RowTable } from '../parts/rowTable.ts';
import { hrefOf } from '../route.ts';
import type { Snapshot } from '../snapshot.ts';
import { sourceIndex, sourceTitle } from '../sources.ts';
import type { Context, View } from '../view.ts';

/** The tables, their rows, and the life of a row. */
export class TablesView implements View {
  readonly title = 'Tables';
  readonly element: HTMLElement;
  readonly #context: Context;
  readonly #list = h('ul', { class: 'list tables', 'aria-label': 'Tables' });
  readonly #none = h('p', { class: 'empty', hidden: true }, 'No tables yet: they come with the first change.');
  readonly #more = h('button', { type: 'button', class: 'quiet', hidden: true }, 'Show more tables');
  readonly #rows: RowTable;
  readonly #pane: DetailPane;
  readonly #history: RowHistoryView;
  #tables: readonly TableSummary[] = [];
  #continuation: string | null = null;
  #table: string | null = null;
  #read: readonly TableSummary[] | null = null;

  constructor(context: Context) {
    this.#context = context;
    this.#rows = new RowTable(context);
    const master = h('section', { 'aria-label': 'Rows' }, this.#rows.element);
    this.#pane = new DetailPane(master, () => hrefOf('tables', { table: this.#table }));
    this.#history = new RowHistoryView(context, this.#pane);
    const side = h('section', { class: 'side', 'aria-label': 'Tables' }, this.#list, this.#none, this.#more);
    this.element = h('div', {}, h('h1', {}, 'Tables'), h('div', { class: 'browser' }, side, this.#pane.element));
    arrowKeys(this.#list, 'a');
    this.#more.addEventListener('click', () => void this.#load(this.#continuation ?? undefined));
  }

  open(parameters: URLSearchParams): void {
    this.#table = parameters.get('table');
    const id = parameters.get('id');
    this.element.classList.toggle('has-table', this.#table !== null);
    this.#rows.open(this.#table, id);
    this.#history.open(this.#table, id);
    if (this.#tables.length === 0 || this.#table === null) void this.#load();
    this.#draw();
  }

  /** Counts of the first page of tables come along every few seconds. */
  update({ tables }: Snapshot): void {
    if (tables === null || tables === this.#read) return;
    this.#read = tables;
    const fresh = new Map(tables.map((table) => [table.table, table]));
    const known = this.#tables.map((table) => fresh.get(table.table) ?? table);
    const names = new Set(known.map(({ table }) => table));
    this.#tables = [...known, ...tables.filter(({ table }) => !names.has(table))];
    this.#draw();
  }

  async #load(continuation?: string): Promise<void> {
    try {
      const page = await this.#context.api.tables(continuation);
      this.#tables = continuation === undefined ? page.items : [...this.#tables, ...page.items];
      this.#continuation = page.continuation;
      this.#draw();
    } catch (error) {
      this.#context.report('The tables could not be read', error);
    }
  }

  #draw(): void {
    keyed(this.#list, [...this.#tables].sort(bySourceAndName), {
      key: ({ table }) => table,
      create: ({ table, source, stream }) => {
        const place = h('span', { class: 'hint' }, sourceTitle(source), ' · ', h('bdi', {}, stream));
        const name = h('bdi', { class: 'name' }, ...breakable(tableName(table)));
        return h(
          'li',
          { class: `source-${source}` },
          h('a', { href: hrefOf('tables', { table }) }, name, place, h('span', { class: 'size' })),
        );
      },
      update: (item, { table, rows, tombstones }) => {
        const deleted = tombstones > 0 ? `, ${counted(tombstones, 'tombstone')}` : '';
        item.querySelector('.size')?.replaceChildren(`${counted(rows, 'row')}${deleted}`);
        const link = item.querySelector('a');
        if (table === this.#table) link?.setAttribute('aria-current', 'true');
        else link?.removeAttribute('aria-current');
      },
    });
    this.#none.hidden = this.#tables.length > 0;
    this.#more.hidden = this.#continuation === null;
  }
}

function bySourceAndName(a: TableSummary, b: TableSummary): number {
  const place = ({ source }: TableSummary) => sourceIndex(source) ?? -1;
  return place(a) - place(b) || (a.table < b.table ? -1 : 1);
}
