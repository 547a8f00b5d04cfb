import { h } from '../dom.ts';
import { HourChart } from '../parts/chart.ts';
import { FlowPicture } from '../parts/flow.ts';
import { flowOf } from '../parts/flowModel.ts';
import { StreamTable } from '../parts/streamTable.ts';
import { HealthCard, WaitingCard } from '../parts/waiting.ts';
import type { Snapshot } from '../snapshot.ts';
import type { View } from '../view.ts';

/** Everything at a glance. */
export class OverviewView implements View {
  readonly title = 'Overview';
  readonly element: HTMLElement;
  readonly #flow = new FlowPicture();
  readonly #parts = [new HourChart(), new StreamTable(), new WaitingCard(), new HealthCard()] as const;

  constructor() {
    const [chart, streams, waiting, health] = this.#parts;
    this.element = h(
      'div',
      { class: 'overview' },
      h('h1', { class: 'unseen' }, 'Overview'),
      this.#flow.element,
      chart.element,
      streams.element,
      h('div', { class: 'pair' }, waiting.element, health.element),
    );
  }

  open(): void {}

  update(snapshot: Snapshot): void {
    this.#flow.update(flowOf(snapshot));
    for (const part of this.#parts) part.update(snapshot);
  }
}
