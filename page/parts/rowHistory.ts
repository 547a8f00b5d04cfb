import type { RowHistory } from '../api.ts';
import type { Change, RowDocument } from '../contract.ts';
import { h } from '../dom.ts';
import { counted, localTime } from '../format.ts';
import { steps } from '../history.ts';
import type { Context } from '../view.ts';
import { changeCard } from './changeCard.ts';
import type { DetailPane } from './detailPane.ts';
import { columnList, keyText } from './value.ts';

/** A row as it is, and how it came to be: its changes as a timeline, newest first. */
export class RowHistoryView {
  readonly #context: Context;
  readonly #pane: DetailPane;
  #round = 0;

  constructor(context: Context, pane: DetailPane) {
    this.#context = context;
    this.#pane = pane;
  }

  open(table: string | null, id: string | null): void {
    const round = ++this.#round;
    if (table === null || id === null) this.#pane.hide();
    else void this.#load(table, id, round, []);
  }

  async #load(
    table: string,
    id: string,
    round: number,
    newer: readonly Change[],
    continuation?: string,
  ): Promise<void> {
    try {
      const history = await this.#context.api.row(table, id, continuation);
      if (round !== this.#round) return;
      const changes = [...newer, ...history.changes];
      const older = () => void this.#load(table, id, round, changes, history.continuation ?? undefined);
      this.#show(id, { ...history, changes }, older);
    } catch (error) {
      if (round === this.#round) this.#context.report('The row could not be read', error);
    }
  }

  #show(id: string, { row, changes, continuation }: RowHistory, older: () => void): void {
    const more = h('button', { type: 'button', class: 'quiet', onclick: older }, 'Show older changes');
    const timeline = steps(changes).map((step) => h('li', {}, changeCard(step)));
    const title = row === null ? id : keyText(row.keys) || id;
    this.#pane.show(
      title,
      ...currentParts(row),
      h('h3', {}, `History: ${counted(changes.length, 'change')}${continuation === null ? '' : ' so far'}`),
      timeline.length === 0 ? h('p', { class: 'hint' }, 'Its changes are older than history is kept.') : null,
      h('ol', { class: 'timeline' }, ...timeline),
      continuation === null ? null : more,
    );
  }
}

function currentParts(row: RowDocument | null): HTMLElement[] {
  if (row === null) return [h('p', { class: 'problem' }, 'There is no such row.')];
  const committed = row.committedAt === null ? '' : `committed ${localTime(row.committedAt)} · `;
  const facts = h('p', { class: 'hint' }, `${committed}written ${localTime(row.updatedAt)}`);
  if (row.deleted)
    return [facts, h('p', {}, h('span', { class: 'state-deleted' }, 'deleted'), ' This row is a tombstone.')];
  return [facts, columnList(row.row)];
}
