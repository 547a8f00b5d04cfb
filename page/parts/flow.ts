import { h, s, setAttributes, setText } from '../dom.ts';
import { count, counted, duration, rate, shorten, tableName } from '../format.ts';
import { sourceIndex, sourceTitle } from '../sources.ts';
import { type Box, type FlowLayout, layOut } from './flowLayout.ts';
import type { Flow, FlowSource } from './flowModel.ts';

/** A character of the picture's text is about that wide, as a share of the font size. */
const CHARACTER_WIDTH = 0.64;
const TITLE_PX = 15;
const SMALL_PX = 12.5;
const PADDING = 16;

/** What is changed when only numbers have changed; the drawing around it stays, so that the water flows on. */
interface Drawn {
  readonly signature: string;
  update(flow: Flow): void;
}

/** The picture of the streams flowing into the tables. */
export class FlowPicture {
  readonly element = h('div', { class: 'flow' });
  #drawn: Drawn | undefined;
  #flow: Flow | undefined;

  constructor() {
    new ResizeObserver(() => this.#flow && this.update(this.#flow)).observe(this.element);
  }

  update(flow: Flow): void {
    this.#flow = flow;
    const width = Math.floor(this.element.clientWidth);
    if (width === 0) return;
    const signature = JSON.stringify([width, flow.tables.map(({ table }) => table), flow.moreTables]);
    if (this.#drawn?.signature !== signature) this.#drawn = this.#draw(flow, width, signature);
    this.#drawn.update(flow);
  }

  #draw(flow: Flow, width: number, signature: string): Drawn {
    const hasMore = flow.moreTables > 0 || flow.hasUncountedTables;
    const origins: (number | undefined)[] = flow.tables.map(({ source }) => sourceIndex(source));
    if (hasMore || origins.length === 0) origins.push(undefined);
    const layout = layOut(width, flow.sources.length, origins);
    const picture = s('svg', { width, height: layout.height, viewBox: `0 0 ${width} ${layout.height}`, role: 'img' });
    const sources = flow.sources.map((source, index) => drawSource(picture, layout, source, index));
    drawOutflows(picture, layout, flow);
    const pills = drawPills(picture, layout);
    const label = s('text', { x: layout.label.x, y: layout.label.y, class: 'flow-rate', 'text-anchor': 'middle' });
    picture.append(label);
    const tables = layout.tables.map((box, index) => drawTable(picture, box, flow, index));
    this.element.replaceChildren(picture);
    return {
      signature,
      update(next) {
        for (const [index, source] of next.sources.entries()) sources[index]?.(source);
        for (const [index, { rows }] of next.tables.entries()) tables[index]?.(counted(rows, 'row'));
        pills(next);
        setText(label, `${rate(next.appliedPerSecond)} applied/s`);
        setAttributes(picture, { 'aria-label': inWords(next) });
      },
    };
  }
}

function drawSource(picture: SVGElement, layout: FlowLayout, { source, title, kind }: FlowSource, index: number) {
  const box = layout.sources[index];
  const line = layout.inflows[index] ?? '';
  if (box === undefined) return () => undefined;
  const water = s('path', { d: line, class: 'water' });
  const current = s('path', { d: line, class: 'current' });
  const speed = text(box.x + box.width - PADDING, box.y + 29, 'flow-number', 'end');
  const lag = text(box.x + box.width - PADDING, box.y + 50, 'flow-small', 'end');
  const state = text(box.x + PADDING + 4, box.y + 50, 'flow-small');
  const group = s(
    'g',
    { class: `source-${source}` },
    water,
    current,
    frame(box),
    s('rect', { x: box.x, y: box.y + 12, width: 4, height: box.height - 24, rx: 2, class: 'mark' }),
    text(box.x + PADDING + 4, box.y + 29, 'flow-title', 'start', title),
    state,
    speed,
    lag,
    s('title', {}, `${title}, ${kind}`),
  );
  picture.append(group);
  return (next: FlowSource) => {
    group.dataset.state = next.state.replace(' ', '-');
    group.toggleAttribute('data-moving', next.rate.received > 0);
    setAttributes(water, { 'stroke-width': thickness(next.rate.received) });
    const streams = next.streams > 1 ? `${next.streams} streams, ` : '';
    setText(state, next.streams === 0 ? next.state : `${streams}${next.state}`);
    setText(speed, next.streams === 0 ? '' : `${rate(next.rate.received)}/s`);
    setText(lag, next.lagSeconds === null ? '' : `lag ${duration(next.lagSeconds)}`);
  };
}

/** Wide enough to see at a trickle, and never wider than the river's lanes. */
function thickness(perSecond: number): number {
  return perSecond <= 0 ? 2 : Math.min(8.5, 3 + 1.6 * Math.log10(1 + perSecond) * 1.2);
}

function drawOutflows(picture: SVGElement, layout: FlowLayout, flow: Flow): void {
  for (const line of layout.spills) picture.append(s('path', { d: line, class: 'spill' }));
  layout.outflows.forEach((line, index) => {
    const source = flow.tables[index]?.source ?? 'none';
    picture.append(s('path', { d: line, class: `water outflow source-${source}`, 'stroke-width': 3 }));
  });
}

function drawTable(picture: SVGElement, box: Box, flow: Flow, index: number): (rows: string) => void {
  const table = flow.tables[index];
  if (table === undefined) {
    const rest = `${counted(flow.moreTables, 'more table')}${flow.hasUncountedTables ? ' and others' : ''}`;
    const words = flow.tables.length === 0 ? 'no tables yet' : rest;
    picture.append(frame(box), text(box.x + PADDING, box.y + 27, 'flow-small', 'start', words));
    return () => undefined;
  }
  const rows = text(box.x + box.width - PADDING, box.y + 27, 'flow-small', 'end');
  const room = (box.width - 2 * PADDING - 84) / (TITLE_PX * CHARACTER_WIDTH);
  picture.append(
    s(
      'g',
      { class: `source-${table.source}` },
      frame(box),
      s('rect', { x: box.x + box.width - 4, y: box.y + 10, width: 4, height: box.height - 20, rx: 2, class: 'mark' }),
      text(box.x + PADDING, box.y + 27, 'flow-title', 'start', shortenMiddle(tableName(table.table), Math.floor(room))),
      rows,
      s('title', {}, `${table.table} (${sourceTitle(table.source)})`),
    ),
  );
  return (next) => setText(rows, next);
}

/** The end of a table's name tells more than its middle. */
function shortenMiddle(name: string, length: number): string {
  const last = name.split('.').at(-1) ?? name;
  return name.length <= length ? name : shorten(last, length);
}

function drawPills(picture: SVGElement, layout: FlowLayout): (flow: Flow) => void {
  const pill = (box: Box, kind: string, words: string) => {
    const number = text(box.x + 14, box.y + 29, 'flow-number');
    const label = text(box.x + box.width - 12, box.y + 28, 'flow-small', 'end', words);
    const group = s('g', { class: `pill ${kind}` }, frame(box), number, label);
    picture.append(group);
    return (value: number) => {
      setText(number, count(value));
      group.classList.toggle('none', value === 0);
    };
  };
  const waiting = pill(layout.waiting, 'waiting', 'waiting');
  const deadLetters = pill(layout.deadLetters, 'dead', 'dead letters');
  return (flow) => {
    waiting(flow.waiting);
    deadLetters(flow.deadLetters);
  };
}

function frame({ x, y, width, height }: Box): SVGRectElement {
  return s('rect', { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, rx: 10, class: 'frame' });
}

function text(x: number, y: number, kind: string, anchor = 'start', words = ''): SVGTextElement {
  const size = kind === 'flow-small' ? SMALL_PX : TITLE_PX;
  return s('text', { x, y, class: kind, 'text-anchor': anchor, 'font-size': size }, words);
}

/** The picture for those who do not see it. */
function inWords(flow: Flow): string {
  const sources = flow.sources.map(({ title, state, rate: moving, lagSeconds }) => {
    const lag = lagSeconds === null ? '' : `, lag ${duration(lagSeconds)}`;
    return `${title}: ${state}, ${rate(moving.received)} received per second${lag}`;
  });
  const tables = flow.tables.map(({ table, rows }) => `${tableName(table)} ${counted(rows, 'row')}`);
  return `${sources.join('; ')}. Into ${tables.join(', ') || 'no tables yet'}. ${count(flow.waiting)} waiting, ${counted(flow.deadLetters, 'dead letter')}.`;
}
