import { h, keyed } from '../dom.ts';
import { counted, duration, secondsBetween } from '../format.ts';
import { streamKey } from '../rates.ts';
import type { Snapshot } from '../snapshot.ts';
import { sourceTitle } from '../sources.ts';

interface Line {
  readonly name: string;
  readonly text: string;
}

/** Records that are durable and not yet in a row: events that lack segments, and records that wait for their schema. */
export class WaitingCard {
  readonly element: HTMLElement;
  readonly #lines = h('dl', { class: 'lines', id: 'waiting-lines' });
  readonly #none = h('p', { class: 'hint' }, 'Nothing: every record has found its place.');

  constructor() {
    this.element = card('waiting-title', 'Waiting', this.#lines, this.#none);
  }

  update({ status }: Snapshot): void {
    const lines = status.streams.flatMap((stream): Line[] => {
      const of = `${stream.stream} (${sourceTitle(stream.source)})`;
      const { incompleteEvents, pendingSegments, oldestIncompleteAt, parkedNow, oldestParkedAt } = stream;
      const age = (at: string | null) =>
        at === null ? '' : `, the oldest for ${duration(secondsBetween(at, status.generatedAt))}`;
      const events = `${counted(incompleteEvents, 'split event')} without all segments`;
      const split = {
        name: of,
        text: `${events}${age(oldestIncompleteAt)} (${counted(pendingSegments, 'segment')} held)`,
      };
      const records = `${counted(parkedNow, 'record')} parked until the table is known`;
      const parked = { name: of, text: `${records}${age(oldestParkedAt)}` };
      return [...(incompleteEvents > 0 ? [split] : []), ...(parkedNow > 0 ? [parked] : [])];
    });
    this.#none.hidden = lines.length > 0;
    showLines(this.#lines, lines);
  }
}

const STREAM_QUIET_SECONDS = 3_600;

/** Whether what has to run runs: dependencies, timers, streams that once spoke. */
export class HealthCard {
  readonly element: HTMLElement;
  readonly #lines = h('dl', { class: 'lines' });

  constructor() {
    this.element = card('health-title', 'Health', this.#lines);
  }

  update({ status, health }: Snapshot): void {
    const age = (at: string) => secondsBetween(at, status.generatedAt);
    const dependencies = Object.entries(health?.dependencies ?? {}).map(([name, state]) => ({
      name,
      text: state.status === 'up' ? `up, ${state.milliseconds} ms` : `down: ${state.detail ?? 'no answer'}`,
      isBad: state.status !== 'up',
    }));
    const timers = status.timers.map(({ name, lastRunAt, late, error }) => {
      const run = lastRunAt === null ? 'has not run yet' : `ran ${duration(age(lastRunAt))} ago`;
      const text = `${late ? 'late: ' : ''}${run}${error === null ? '' : ` and failed: ${error}`}`;
      return { name: `timer ${name}`, text, isBad: late || error !== null };
    });
    const quiet = status.streams
      .filter(({ updatedAt }) => updatedAt !== null && age(updatedAt) > STREAM_QUIET_SECONDS)
      .map((stream) => ({
        name: streamKey(stream),
        text: `no news for ${duration(age(stream.updatedAt ?? status.generatedAt))}`,
        isBad: false,
      }));
    const unknown = health === null ? [{ name: 'health', text: 'not known', isBad: true }] : [];
    showLines(this.#lines, [...unknown, ...dependencies, ...timers, ...quiet]);
  }
}

function card(id: string, title: string, ...children: HTMLElement[]): HTMLElement {
  const head = h('div', { class: 'card-head' }, h('h2', { id }, title));
  return h('section', { class: 'card', 'aria-labelledby': id }, head, ...children);
}

function showLines(list: HTMLElement, lines: readonly (Line & { readonly isBad?: boolean })[]): void {
  keyed(list, lines, {
    key: ({ name, text }) => `${name} ${text}`,
    create: ({ name, text, isBad = false }) =>
      h('div', {}, h('dt', {}, name), h('dd', { class: isBad ? 'problem' : '' }, text)),
  });
}
