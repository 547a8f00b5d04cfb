import type { RowDocument } from '../contract.ts';
import { arrowKeys, h, keyed } from '../dom.ts';
import { hrefOf } from '../route.ts';
import type { Context } from '../view.ts';
import { keyText, valueElement } from './value.ts';

/** More columns than that are read in the row itself. */
const MAX_COLUMNS = 24;

/** The rows of one table, a page at a time. */
export class RowTable {
  readonly element: HTMLElement;
  readonly #context: Context;
  readonly #title = h('h2');
  readonly #head = h('tr');
  readonly #body = h('tbody');
  readonly #find = h('input', { id: 'find-row', type: 'search', autocomplete: 'off', spellcheck: 'false' });
  readonly #more = h('button', { type: 'button', class: 'quiet', hidden: true }, 'Show more rows');
  readonly #none = h('p', { class: 'empty', hidden: true }, 'This table has no rows.');
  readonly #hint = h('p', { class: 'empty' }, 'Choose a table to see its rows.');
  readonly #card: HTMLElement;
  #table: string | null = null;
  #rows: readonly RowDocument[] = [];
  #continuation: string | null = null;
  #opened: string | null = null;

  constructor(context: Context) {
    this.#context = context;
    const search = h(
      'form',
      { class: 'find', role: 'search' },
      h('label', { class: 'inline', for: 'find-row' }, 'Row id ', this.#find),
      h('button', { type: 'submit', class: 'quiet' }, 'Find'),
    );
    search.addEventListener('submit', (event) => {
      event.preventDefault();
      if (this.#find.value !== '') location.hash = hrefOf('tables', { table: this.#table, id: this.#find.value });
    });
    const back = h('a', { class: 'back', href: hrefOf('tables') }, '← All tables');
    const table = h('table', { class: 'rows' }, h('thead', {}, this.#head), this.#body);
    const scroller = h('div', { class: 'scroller' }, table);
    this.#card = h(
      'div',
      { class: 'card' },
      h('div', { class: 'card-head' }, back, this.#title, search),
      scroller,
      this.#none,
      this.#more,
    );
    this.element = h('div', {}, this.#hint, this.#card);
    this.#card.hidden = true;
    arrowKeys(this.#body, 'a');
    this.#more.addEventListener('click', () => void this.#load(this.#continuation ?? undefined));
  }

  /** Shows the rows of `table`; null: a word about how to choose one. `id` is the row whose history is open. */
  open(table: string | null, id: string | null): void {
    this.#opened = id;
    this.#card.hidden = table === null;
    this.#hint.hidden = table !== null;
    if (table !== this.#table) {
      this.#table = table;
      this.#rows = [];
      this.#continuation = null;
      this.#body.hidden = true;
      this.#title.replaceChildren(h('bdi', {}, table ?? ''));
    }
    if (table !== null && id === null) void this.#load();
    else if (table !== null && this.#rows.length === 0) void this.#load();
    else this.#draw();
  }

  async #load(continuation?: string): Promise<void> {
    const table = this.#table;
    if (table === null) return;
    try {
      const page = await this.#context.api.rows(table, continuation);
      if (table !== this.#table) return;
      this.#rows = continuation === undefined ? page.items : [...this.#rows, ...page.items];
      this.#continuation = page.continuation;
      this.#none.hidden = this.#rows.length > 0;
      this.#draw();
    } catch (error) {
      this.#context.report('The rows could not be read', error);
    }
  }

  #draw(): void {
    const keys = new Set(this.#rows.flatMap(({ keys: of }) => Object.keys(of)));
    const others = new Set(this.#rows.flatMap(({ row }) => Object.keys(row)).filter((column) => !keys.has(column)));
    const columns = [...others].slice(0, Math.max(0, MAX_COLUMNS - keys.size));
    const heads = ['Key', 'State', ...columns].map((title) => h('th', { scope: 'col' }, h('bdi', {}, title)));
    this.#head.replaceChildren(...heads);
    this.#body.hidden = false;
    keyed(this.#body, this.#rows, {
      key: (row) => JSON.stringify([row.table, row.id, row.updatedAt, columns]),
      create: (row) => rowElement(row, columns),
      update: (element, { id }) => {
        const link = element.querySelector('a');
        if (id === this.#opened) link?.setAttribute('aria-current', 'true');
        else link?.removeAttribute('aria-current');
      },
    });
    this.#more.hidden = this.#continuation === null;
  }
}

function rowElement(row: RowDocument, columns: readonly string[]): HTMLTableRowElement {
  const link = h(
    'a',
    { href: hrefOf('tables', { table: row.table, id: row.id }) },
    h('bdi', {}, keyText(row.keys) || row.id),
  );
  const values = new Map(Object.entries(row.row));
  const cells = columns.map((column) => h('td', {}, values.has(column) ? valueElement(values.get(column)) : ''));
  const state = h('td', {}, row.deleted ? h('span', { class: 'state-deleted' }, 'deleted') : 'present');
  return h('tr', { class: row.deleted ? 'deleted' : '' }, h('th', { scope: 'row' }, link), state, ...cells);
}
