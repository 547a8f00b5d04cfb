import type { StreamStatus } from '../contract.ts';
import { h, keyed, setText } from '../dom.ts';
import { count, counted, duration, rate, secondsBetween } from '../format.ts';
import { STANDSTILL, streamKey } from '../rates.ts';
import type { Snapshot } from '../snapshot.ts';
import { sourceTitle } from '../sources.ts';

interface Column {
  readonly title: string;
  readonly text: (stream: StreamStatus, snapshot: Snapshot) => string;
}

const COLUMNS: readonly Column[] = [
  { title: 'Received/s', text: (stream, { rates }) => rate((rates.get(streamKey(stream)) ?? STANDSTILL).received) },
  { title: 'Lag', text: ({ lagSeconds }) => (lagSeconds === null ? '–' : duration(lagSeconds)) },
  { title: 'Received', text: ({ received }) => count(received) },
  { title: 'Applied', text: ({ applied }) => count(applied) },
  { title: 'Duplicate', text: ({ duplicate }) => count(duplicate) },
  { title: 'Stale', text: ({ stale }) => count(stale) },
  { title: 'Dead', text: ({ deadLettered }) => count(deadLettered) },
  { title: 'RU', text: ({ requestUnits }) => count(requestUnits) },
  { title: 'Throttled', text: ({ throttled }) => count(throttled) },
  {
    title: 'Last news',
    text: ({ updatedAt }, { status }) =>
      updatedAt === null ? 'none yet' : `${duration(secondsBetween(updatedAt, status.generatedAt))} ago`,
  },
];

/** The numbers of every stream, with what troubles it plainly below. */
export class StreamTable {
  readonly element: HTMLElement;
  readonly #body = h('tbody');
  readonly #none = h('p', { class: 'hint' }, 'No streams are set up: the setting STREAMS describes them.');

  constructor() {
    const heads = COLUMNS.map(({ title }) => h('th', { scope: 'col', class: 'number' }, title));
    const head = h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Stream'), ...heads));
    const table = h('table', { class: 'stacked' }, head, this.#body);
    this.element = h(
      'section',
      { class: 'card', 'aria-labelledby': 'streams-title' },
      h('div', { class: 'card-head' }, h('h2', { id: 'streams-title' }, 'Streams')),
      h('div', { class: 'scroller' }, table),
      this.#none,
    );
  }

  update(snapshot: Snapshot): void {
    const { streams } = snapshot.status;
    this.#none.hidden = streams.length > 0;
    keyed(this.#body, streams, {
      key: (stream) => streamKey(stream),
      create: ({ source, stream }) => {
        const name = h('th', { scope: 'row' }, h('bdi', {}, stream), h('span', { class: 'hint' }, sourceTitle(source)));
        const trouble = h('p', { class: 'problem' });
        name.append(h('span', { class: 'hint instances' }), trouble);
        const cells = COLUMNS.map(({ title }) => h('td', { class: 'number', 'data-title': title }));
        return h('tr', { class: `source-${source}` }, name, ...cells);
      },
      update: (row, stream) => {
        COLUMNS.forEach(({ text }, index) => {
          const cell = row.cells[index + 1];
          if (cell !== undefined) setText(cell, text(stream, snapshot));
        });
        const trouble = row.querySelector('.problem');
        if (trouble !== null) setText(trouble, stream.error ?? '');
        const instances = row.querySelector('.instances');
        if (instances !== null) setText(instances, instanceWords(stream, snapshot));
      },
    });
  }
}

const ALIVE_SECONDS = 300;

function instanceWords({ instances, partitions }: StreamStatus, { status }: Snapshot): string {
  const alive = instances.filter(({ updatedAt }) => secondsBetween(updatedAt, status.generatedAt) < ALIVE_SECONDS);
  const behind = (partitions ?? []).reduce((sum, { waitingEvents }) => sum + waitingEvents, 0);
  const words = [
    alive.length > 1 ? `${counted(alive.length, 'instance')} at work` : '',
    behind > 0 ? `${counted(behind, 'event')} in the hub without checkpoint` : '',
  ];
  return words.filter((word) => word !== '').join(', ');
}
