import type { DeadLetterFilter, DeadLetterSummary } from '../contract.ts';
import { arrowKeys, h, keyed, setText } from '../dom.ts';
import { bytes, counted, localTime } from '../format.ts';
import { DetailPane } from '../parts/detailPane.ts';
import { letterDetail, triesText } from '../parts/letterDetail.ts';
import { filterOf, LetterFilterForm } from '../parts/letterFilter.ts';
import { deleteLetters, type LetterName, replay } from '../parts/replay.ts';
import { hrefOf } from '../route.ts';
import type { Snapshot } from '../snapshot.ts';
import { sourceTitle } from '../sources.ts';
import type { Context, View } from '../view.ts';

function nameOf({ stream, id }: LetterName): string {
  return `${stream}/${id}`;
}

/** Records that could not be processed: read them, replay them, delete them. */
export class DeadLettersView implements View {
  readonly title = 'Dead letters';
  readonly element: HTMLElement;
  readonly #context: Context;
  readonly #form = new LetterFilterForm();
  readonly #list = h('ul', { class: 'list', 'aria-label': 'Dead letters' });
  readonly #none = h('p', { class: 'empty', hidden: true }, 'No dead letters here. That is how it should be.');
  readonly #more = h('button', { type: 'button', class: 'quiet', hidden: true }, 'Show more');
  readonly #replay = h('button', { type: 'button', class: 'primary', id: 'replay-letters' });
  readonly #delete = h('button', { type: 'button', class: 'quiet', id: 'delete-letters' });
  readonly #pane: DetailPane;
  readonly #chosen = new Set<string>();
  #filter: DeadLetterFilter = {};
  #letters: readonly DeadLetterSummary[] = [];
  #continuation: string | null = null;
  #opened: LetterName | undefined;
  #total: number | undefined;
  #round = 0;

  constructor(context: Context) {
    this.#context = context;
    const actions = h('div', { class: 'actions start' }, this.#replay, this.#delete);
    const master = h(
      'section',
      { 'aria-label': 'List' },
      this.#form.element,
      actions,
      this.#list,
      this.#none,
      this.#more,
    );
    this.#pane = new DetailPane(master, () => hrefOf('deadletters', { ...this.#filter }));
    this.element = h('div', {}, h('h1', {}, 'Dead letters'), this.#pane.element);
    arrowKeys(this.#list, 'a');
    this.#more.addEventListener('click', () => void this.#load(this.#continuation ?? undefined));
    this.#replay.addEventListener('click', () => void this.#replayChosen());
    this.#delete.addEventListener('click', () => void this.#deleteChosen());
  }

  open(parameters: URLSearchParams): void {
    this.#filter = filterOf(parameters);
    this.#form.show(this.#filter, []);
    const [of, id] = [parameters.get('of'), parameters.get('id')];
    this.#opened = of === null || id === null ? undefined : { stream: of, id };
    if (this.#opened === undefined) this.#pane.hide();
    else void this.#openLetter(this.#opened);
    void this.#load();
  }

  update({ status }: Snapshot): void {
    this.#form.show(this.#filter, [...new Set(status.streams.map(({ stream }) => stream))].sort());
    const hasChanged = this.#total !== undefined && this.#total !== status.deadLettersTotal;
    this.#total = status.deadLettersTotal;
    // Whoever reads further down keeps what they see.
    if (hasChanged && this.#letters.length <= FIRST_PAGE) void this.#load();
  }

  async #load(continuation?: string): Promise<void> {
    const round = ++this.#round;
    try {
      const page = await this.#context.api.deadLetters(this.#filter, continuation);
      if (round !== this.#round) return;
      this.#letters = continuation === undefined ? page.items : [...this.#letters, ...page.items];
      this.#continuation = page.continuation;
      const names = new Set(this.#letters.map(nameOf));
      for (const name of this.#chosen) if (!names.has(name)) this.#chosen.delete(name);
      this.#draw();
    } catch (error) {
      this.#context.report('The dead letters could not be read', error);
    }
  }

  #draw(): void {
    keyed(this.#list, this.#letters, {
      key: (letter) => `${nameOf(letter)} ${letter.tries} ${letter.reason} ${letter.detail}`,
      create: (letter) => this.#item(letter),
      update: (item, letter) => {
        const link = item.querySelector('a');
        if (link === null) return;
        link.href = hrefOf('deadletters', { ...this.#filter, of: letter.stream, id: letter.id });
        if (this.#opened !== undefined && nameOf(this.#opened) === nameOf(letter))
          link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      },
    });
    this.#none.hidden = this.#letters.length > 0;
    this.#more.hidden = this.#continuation === null;
    this.#drawActions();
  }

  #drawActions(): void {
    const chosen = this.#chosen.size;
    setText(this.#replay, chosen === 0 ? 'Replay all that match …' : `Replay ${chosen} chosen …`);
    setText(this.#delete, chosen === 0 ? 'Delete chosen …' : `Delete ${chosen} chosen …`);
    this.#replay.disabled = this.#letters.length === 0;
    this.#delete.disabled = chosen === 0;
  }

  #item(letter: DeadLetterSummary): HTMLElement {
    const name = nameOf(letter);
    const box = h('input', { type: 'checkbox', 'aria-label': `Choose ${letter.reason}, ${letter.stream}` });
    box.checked = this.#chosen.has(name);
    box.addEventListener('change', () => {
      if (box.checked) this.#chosen.add(name);
      else this.#chosen.delete(name);
      this.#drawActions();
    });
    const link = h(
      'a',
      { href: '#' },
      h('span', { class: 'reason' }, letter.reason),
      h('bdi', { class: 'clamp' }, letter.detail),
      h(
        'span',
        { class: 'hint' },
        h('bdi', {}, letter.stream),
        ` · ${sourceTitle(letter.source)} · ${localTime(letter.receivedAt)} · ${bytes(letter.byteLength)} · ${triesText(letter.tries)}`,
      ),
    );
    return h('li', {}, h('label', { class: 'pick' }, box), link);
  }

  async #openLetter(name: LetterName): Promise<void> {
    try {
      const letter = await this.#context.api.deadLetter(name.stream, name.id);
      if (this.#opened === undefined || nameOf(this.#opened) !== nameOf(name)) return;
      const replayOne = h('button', { type: 'button', class: 'primary', id: 'replay-letter' }, 'Replay …');
      const deleteOne = h('button', { type: 'button', class: 'quiet', id: 'delete-letter' }, 'Delete …');
      replayOne.addEventListener('click', () => void this.#act(replay(this.#context, { ids: [name] }, 'this record')));
      deleteOne.addEventListener('click', () => void this.#act(deleteLetters(this.#context, [name], 'this record')));
      const actions = h('div', { class: 'actions start' }, replayOne, deleteOne);
      this.#pane.show(letter.reason, actions, ...letterDetail(letter));
    } catch (error) {
      if (this.#opened !== name) return;
      this.#context.report('The dead letter could not be read', error);
      location.hash = hrefOf('deadletters', { ...this.#filter });
    }
  }

  async #replayChosen(): Promise<void> {
    const ids = this.#chosenLetters();
    const which = ids.length > 0 ? { ids } : { filter: this.#filter };
    const what = ids.length > 0 ? counted(ids.length, 'record') : 'all that match';
    await this.#act(replay(this.#context, which, what));
  }

  async #deleteChosen(): Promise<void> {
    const letters = this.#chosenLetters();
    await this.#act(deleteLetters(this.#context, letters, counted(letters.length, 'record')));
  }

  #chosenLetters(): LetterName[] {
    return this.#letters.filter((letter) => this.#chosen.has(nameOf(letter))).map(({ stream, id }) => ({ stream, id }));
  }

  /** After a replay or a deletion: what is left, and whether the open letter is among it. */
  async #act(done: Promise<boolean>): Promise<void> {
    if (!(await done)) return;
    this.#chosen.clear();
    await this.#load();
    const opened = this.#opened;
    if (opened === undefined) return;
    if (this.#letters.some((letter) => nameOf(letter) === nameOf(opened))) await this.#openLetter(opened);
    else location.hash = hrefOf('deadletters', { ...this.#filter });
  }
}

const FIRST_PAGE = 50;
