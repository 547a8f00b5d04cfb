import type { DeadLetterFilter } from '../contract.ts';
import { h, keyed } from '../dom.ts';
import { REASONS } from '../reasons.ts';
import { hrefOf } from '../route.ts';

/** The filter that an address describes. Times are kept as UTC. */
export function filterOf(parameters: URLSearchParams): DeadLetterFilter {
  const present = (['stream', 'reason', 'from', 'to'] as const).flatMap((name) => {
    const value = parameters.get(name);
    return value === null || value === '' ? [] : [[name, value] as const];
  });
  return Object.fromEntries(present);
}

/** The form over the list; each choice leads to an address of its own. */
export class LetterFilterForm {
  readonly element: HTMLFormElement;
  readonly #stream = h('select', { id: 'filter-stream' });
  readonly #reason = h('select', { id: 'filter-reason' });
  readonly #from = h('input', { id: 'filter-from', type: 'datetime-local' });
  readonly #to = h('input', { id: 'filter-to', type: 'datetime-local' });
  #streams: readonly string[] = [];
  #reasons: readonly string[] = REASONS;

  constructor() {
    const field = (title: string, input: HTMLElement) => h('label', { for: input.id }, title, input);
    this.element = h(
      'form',
      { class: 'filters', 'aria-label': 'Filter' },
      field('Stream', this.#stream),
      field('Reason', this.#reason),
      field('From', this.#from),
      field('To', this.#to),
    );
    this.element.addEventListener('submit', (event) => event.preventDefault());
    this.element.addEventListener('change', () => {
      location.hash = hrefOf('deadletters', {
        stream: this.#stream.value,
        reason: this.#reason.value,
        from: toUtc(this.#from.value),
        to: toUtc(this.#to.value),
      });
    });
    this.#fill();
  }

  /** Shows `filter`, and lets the viewer choose among `streams`. */
  show(filter: DeadLetterFilter, streams: readonly string[]): void {
    this.#streams = [...new Set([...streams, ...(filter.stream === undefined ? [] : [filter.stream])])];
    this.#reasons = [...new Set([...REASONS, ...(filter.reason === undefined ? [] : [filter.reason])])];
    this.#fill();
    setValue(this.#stream, filter.stream ?? '');
    setValue(this.#reason, filter.reason ?? '');
    setValue(this.#from, toLocal(filter.from));
    setValue(this.#to, toLocal(filter.to));
  }

  #fill(): void {
    const option = (value: string) => h('option', { value }, value === '' ? 'any' : value);
    keyed(this.#stream, ['', ...this.#streams], { key: (value) => value, create: option });
    keyed(this.#reason, ['', ...this.#reasons], { key: (value) => value, create: option });
  }
}

/** A field that is being edited is left alone. */
function setValue(field: HTMLInputElement | HTMLSelectElement, value: string): void {
  if (field !== document.activeElement && field.value !== value) field.value = value;
}

function toUtc(local: string): string {
  return local === '' ? '' : new Date(local).toISOString();
}

function toLocal(iso: string | undefined): string {
  const time = iso === undefined ? Number.NaN : Date.parse(iso);
  if (Number.isNaN(time)) return '';
  const shifted = new Date(time - new Date(time).getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
}
