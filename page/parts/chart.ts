import type { StreamStatus } from '../contract.ts';
import { h, keyed, s, setText } from '../dom.ts';
import { count } from '../format.ts';
import { streamKey } from '../rates.ts';
import type { Snapshot } from '../snapshot.ts';
import { sourceTitle } from '../sources.ts';
import { lastHour, MINUTES, type MinuteSum, niceTop, OUTCOMES } from './minutes.ts';

const HEIGHT = 210;
const MARGIN = { left: 44, right: 4, top: 12, bottom: 24 } as const;
const PLOT = HEIGHT - MARGIN.top - MARGIN.bottom;
/** A handful of dead letters must not vanish beside thousands of rows. */
const MIN_BAR_PX = 2;
const EVERYTHING = '';
const MINUTES_PER_LABEL = 15;

/** The last hour, a bar per minute; the arrow keys or the pointer choose the minute that is put in words. */
export class HourChart {
  readonly element: HTMLElement;
  readonly #plot = h('div', { class: 'plot', tabindex: 0, role: 'group', 'aria-label': 'Minutes: arrow keys' });
  readonly #words = h('p', { class: 'readout', 'aria-live': 'polite' });
  readonly #choice = h('select', { id: 'chart-stream' });
  #minutes: readonly MinuteSum[] = [];
  #snapshot: Snapshot | undefined;
  #chosen: number | undefined;

  constructor() {
    const legend = OUTCOMES.map(({ name, title }) => h('li', { class: `outcome-${name}` }, title));
    const label = h('label', { class: 'inline', for: 'chart-stream' }, 'Stream ', this.#choice);
    this.element = h(
      'section',
      { class: 'card', 'aria-labelledby': 'chart-title' },
      h('div', { class: 'card-head' }, h('h2', { id: 'chart-title' }, 'Last hour'), label),
      this.#plot,
      h('div', { class: 'chart-foot' }, h('ul', { class: 'legend' }, ...legend), this.#words),
    );
    this.#choice.addEventListener('change', () => this.#refresh());
    this.#plot.addEventListener('keydown', (event) => this.#onKey(event));
    this.#plot.addEventListener('pointermove', (event) => this.#onPointer(event));
    this.#plot.addEventListener('pointerleave', () => this.#choose(undefined));
    this.#plot.addEventListener('blur', () => this.#choose(undefined));
    new ResizeObserver(() => this.#draw()).observe(this.#plot);
  }

  update(snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    const names = [EVERYTHING, ...snapshot.status.streams.map(streamKey)];
    keyed(this.#choice, names, { key: (name) => name, create: (name) => h('option', { value: name }, titleOf(name)) });
    this.#refresh();
  }

  #refresh(): void {
    if (this.#snapshot === undefined) return;
    const { streams, generatedAt } = this.#snapshot.status;
    const chosen = this.#choice.value;
    const shown = streams.filter((stream: StreamStatus) => chosen === EVERYTHING || streamKey(stream) === chosen);
    this.#minutes = lastHour(shown, generatedAt);
    this.#draw();
  }

  #draw(): void {
    const width = Math.floor(this.#plot.clientWidth);
    if (width === 0 || this.#minutes.length === 0) return;
    const top = niceTop(Math.max(...this.#minutes.map(({ total }) => total)));
    const step = (width - MARGIN.left - MARGIN.right) / MINUTES;
    const picture = s('svg', { width, height: HEIGHT, 'aria-hidden': 'true' });
    drawScale(picture, width, top);
    this.#minutes.forEach((minute, index) => {
      const x = MARGIN.left + index * step;
      if (index === this.#chosen) {
        picture.append(s('rect', { class: 'chosen', x, y: MARGIN.top, width: step, height: PLOT }));
      }
      drawBar(picture, minute, { x: x + step * 0.12, width: Math.max(1, step * 0.76), top });
      if ((MINUTES - 1 - index) % MINUTES_PER_LABEL === 0) drawTime(picture, minute.at, x + step / 2, index);
    });
    this.#plot.replaceChildren(picture);
    this.#say();
  }

  #say(): void {
    const minute = this.#minutes[this.#chosen ?? this.#minutes.length - 1];
    if (minute === undefined) return;
    const parts = OUTCOMES.map(({ name, title }) => ({ title, value: minute.counts[name] })).filter(
      ({ value }) => value > 0,
    );
    const words = parts.map(({ title, value }) => `${count(value)} ${title}`).join(', ') || 'nothing came';
    setText(this.#words, `${this.#chosen === undefined ? 'This minute' : hourAndMinute(minute.at)}: ${words}`);
  }

  #choose(index: number | undefined): void {
    if (index === this.#chosen) return;
    this.#chosen = index;
    this.#draw();
  }

  #onKey(event: KeyboardEvent): void {
    const last = MINUTES - 1;
    const from = this.#chosen ?? last;
    const targets: { readonly [key: string]: number } = {
      ArrowLeft: Math.max(0, from - 1),
      ArrowRight: Math.min(last, from + 1),
      Home: 0,
      End: last,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#choose(target);
  }

  #onPointer(event: PointerEvent): void {
    const { left, width } = this.#plot.getBoundingClientRect();
    const step = (width - MARGIN.left - MARGIN.right) / MINUTES;
    const index = Math.floor((event.clientX - left - MARGIN.left) / step);
    this.#choose(index >= 0 && index < MINUTES ? index : undefined);
  }
}

function titleOf(name: string): string {
  const [source = '', ...stream] = name.split('/');
  return name === EVERYTHING ? 'all' : `${stream.join('/')} (${sourceTitle(source)})`;
}

function drawScale(picture: SVGElement, width: number, top: number): void {
  for (const share of [0, 0.5, 1]) {
    const y = MARGIN.top + PLOT * (1 - share) + 0.5;
    picture.append(
      s('line', { class: 'grid', x1: MARGIN.left, x2: width - MARGIN.right, y1: y, y2: y }),
      s('text', { class: 'axis', x: MARGIN.left - 8, y: y + 4, 'text-anchor': 'end' }, count(top * share)),
    );
  }
}

interface Bar {
  readonly x: number;
  readonly width: number;
  readonly top: number;
}

function drawBar(picture: SVGElement, { counts }: MinuteSum, { x, width, top }: Bar): void {
  let y = MARGIN.top + PLOT;
  for (const { name } of OUTCOMES) {
    if (counts[name] === 0) continue;
    const height = Math.max(MIN_BAR_PX, (counts[name] / top) * PLOT);
    y -= height;
    picture.append(s('rect', { class: `bar outcome-${name}`, x, y, width, height }));
  }
}

function drawTime(picture: SVGElement, at: number, x: number, index: number): void {
  const anchor = index === MINUTES - 1 ? 'end' : 'middle';
  picture.append(s('text', { class: 'axis', x, y: HEIGHT - 6, 'text-anchor': anchor }, hourAndMinute(at)));
}

function hourAndMinute(at: number): string {
  return new Date(at).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}
