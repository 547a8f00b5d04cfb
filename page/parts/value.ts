import { LargeValue } from '../../shared/change/largeValue.ts';
import type { Columns, JsonValue } from '../contract.ts';
import { h } from '../dom.ts';
import { bytes, shorten, valueText } from '../format.ts';

const SHORT_CHARACTERS = 240;

/** A value as an element: told apart by look and by word, long ones folded. */
export function valueElement(value: JsonValue | undefined): HTMLElement {
  if (value === undefined) return h('span', { class: 'value nothing' }, 'not there');
  if (value === null) return h('span', { class: 'value nothing' }, 'null');
  if (value === '') return h('span', { class: 'value nothing' }, 'empty text');
  if (value instanceof LargeValue) return h('span', { class: 'value nothing' }, `large value, ${bytes(value.bytes)}`);
  const text = valueText(value);
  const kind = `value ${typeof value === 'string' ? 'text' : 'literal'}`;
  if (text.length <= SHORT_CHARACTERS) return h('bdi', { class: kind }, text);
  const summary = h('summary', {}, h('bdi', { class: kind }, shorten(text, SHORT_CHARACTERS)));
  return h('details', {}, summary, h('pre', { class: 'block' }, text));
}

/** Name and value of each column. */
export function columnList(columns: Columns): HTMLElement {
  const entries = Object.entries(columns);
  if (entries.length === 0) return h('p', { class: 'hint' }, 'No columns.');
  const lines = entries.map(([name, value]) =>
    h('div', {}, h('dt', {}, h('bdi', {}, name)), h('dd', {}, valueElement(value))),
  );
  return h('dl', { class: 'columns' }, ...lines);
}

/** The key of a row in one line. */
export function keyText(keys: Columns | null): string {
  return Object.entries(keys ?? {})
    .map(([name, value]) => `${name} ${valueText(value)}`)
    .join(', ');
}
