import { h } from '../dom.ts';

/**
 * A list with the detail of its chosen item beside it; on a narrow screen the detail takes the list's place. Escape
 * closes the detail and gives the focus back to the item.
 */
export class DetailPane {
  readonly element: HTMLElement;
  readonly #detail = h('section', { class: 'detail card', tabindex: -1, hidden: true, 'aria-live': 'off' });
  readonly #closeHref: () => string;
  #opened: HTMLElement | null = null;

  constructor(list: HTMLElement, closeHref: () => string) {
    this.#closeHref = closeHref;
    list.classList.add('master');
    this.element = h('div', { class: 'panes' }, list, this.#detail);
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#detail.hidden || event.defaultPrevented) return;
      event.preventDefault();
      location.hash = this.#closeHref();
    });
  }

  get isOpen(): boolean {
    return !this.#detail.hidden;
  }

  /** Shows `content` under a heading and moves the focus to it, unless it was open already. */
  show(heading: string, ...content: readonly (Node | null)[]): void {
    if (this.#detail.hidden && document.activeElement instanceof HTMLElement) this.#opened = document.activeElement;
    const wasOpen = this.isOpen;
    const close = h('a', { class: 'close', href: this.#closeHref() }, 'Close');
    const head = h('div', { class: 'card-head' }, h('h2', {}, h('bdi', {}, heading)), close);
    this.#detail.replaceChildren(head, ...content.filter((each) => each !== null));
    this.#detail.hidden = false;
    this.element.classList.add('is-open');
    if (!wasOpen) this.#detail.focus({ preventScroll: matchMedia('(min-width: 900px)').matches });
  }

  hide(): void {
    if (this.#detail.hidden) return;
    this.#detail.hidden = true;
    this.#detail.replaceChildren();
    this.element.classList.remove('is-open');
    if (this.#opened?.isConnected) this.#opened.focus();
    this.#opened = null;
  }
}
