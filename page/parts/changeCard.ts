import { h } from '../dom.ts';
import { localTime } from '../format.ts';
import type { CellChange, Step } from '../history.ts';
import { keyText, valueElement } from './value.ts';

const MARKS = { added: '+', changed: '~', removed: '−', set: '=', same: '' } as const satisfies Record<
  CellChange['kind'],
  string
>;

/** What one change did, column by column. Columns that it carries without changing them are folded away. */
export function changeCard({ change, cells }: Step): HTMLElement {
  const shown = cells.filter(({ kind }) => kind !== 'same');
  const same = cells.filter(({ kind }) => kind === 'same');
  const time = change.committedAt ?? change.ingestedAt;
  return h(
    'article',
    { class: `change op-${change.op}` },
    h(
      'header',
      {},
      h('strong', { class: 'op' }, change.op),
      time === undefined ? null : h('time', { datetime: time }, localTime(time)),
      h('span', { class: 'hint' }, noteOf(change)),
    ),
    shown.length === 0 ? h('p', { class: 'hint' }, nothingShown(cells.length)) : cellTable(shown),
    same.length === 0 ? null : h('details', {}, h('summary', {}, `${same.length} unchanged`), cellTable(same)),
  );
}

function nothingShown(cells: number): string {
  return cells === 0 ? 'It carries no columns.' : 'It changed nothing.';
}

function noteOf(change: Step['change']): string {
  const notes = [
    change.image === 'none' ? '' : `${change.image} image`,
    change.transaction === null ? '' : `transaction ${change.transaction.id}`,
    change.movedFrom === undefined ? '' : `moved here from key ${change.movedFrom.key}`,
    change.movedTo === undefined ? '' : `moved to key ${change.movedTo.key}`,
    change.flag === undefined ? '' : `not merged: ${change.flag}`,
  ];
  return notes.filter((note) => note !== '').join(' · ');
}

function cellTable(cells: readonly CellChange[]): HTMLElement {
  // Of a row that came or went, one of the two columns would be empty.
  const hasBefore = cells.some(({ kind }) => kind !== 'added' && kind !== 'set');
  const hasAfter = cells.some(({ kind }) => kind !== 'removed');
  const titles = ['Column', ...(hasBefore ? ['Before'] : []), ...(hasAfter ? ['After'] : [])];
  const heads = titles.map((title) => h('th', { scope: 'col' }, title));
  const lines = cells.map(({ column, kind, before, after }) =>
    h(
      'tr',
      { class: `cell-${kind}` },
      h('td', { class: 'mark', title: kind }, ...markOf(kind)),
      h('th', { scope: 'row' }, h('bdi', {}, column)),
      hasBefore ? h('td', {}, kind === 'added' || kind === 'set' ? '' : valueElement(before)) : null,
      hasAfter ? h('td', {}, kind === 'removed' ? '' : valueElement(after)) : null,
    ),
  );
  const head = h('thead', {}, h('tr', {}, h('td', { class: 'mark' }), ...heads));
  return h('div', { class: 'scroller' }, h('table', { class: 'cells' }, head, h('tbody', {}, ...lines)));
}

function markOf(kind: CellChange['kind']): Node[] {
  return [h('span', { 'aria-hidden': 'true' }, MARKS[kind]), h('span', { class: 'unseen' }, kind)];
}

/** Table and key of a change that stands alone. */
export function changeTitle({ change }: Step): HTMLElement {
  return h('p', { class: 'hint' }, h('bdi', {}, change.table), ` · ${keyText(change.keys) || 'no key'}`);
}
