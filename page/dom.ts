/**
 * The only way in which the page makes elements. Whatever comes from the API enters as a text node or an attribute's
 * value, never as markup; names of elements and attributes are always written in the code.
 */

export type Child = Node | string | null;
export type Attributes = { readonly [name: string]: string | number | boolean | null | ((event: Event) => void) };

const SVG_NAMESPACE = 'http://www.w3.org/2000/svg';

/** An HTML element. `true` sets a bare attribute, `false` and null leave it out, a function listens: `{ onclick: … }`. */
export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Tag] {
  return fill(document.createElementNS(SVG_NAMESPACE, tag), attributes, children);
}

export function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name.slice('on'.length), value);
    else if (value === false || value === null) element.removeAttribute(name);
    else if (element.getAttribute(name) !== String(value))
      element.setAttribute(name, value === true ? '' : String(value));
  }
}

function fill<Made extends Element>(element: Made, attributes: Attributes, children: readonly Child[]): Made {
  setAttributes(element, attributes);
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** A qualified name that may break after its dots. */
export function breakable(name: string): Child[] {
  return name.split(/(?<=\.)/).flatMap((part, index) => (index === 0 ? [part] : [h('wbr'), part]));
}

/** Sets text without touching a node that already has it, so that a selection in it stays. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** The element that the page's markup has under `id`. Throws when it has none. */
export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new TypeError(`the page has no element ${id}`);
  return found;
}

/**
 * Makes the children of `parent` those of `items`, in order. A child whose key stays is kept, with its focus, and only
 * updated: lists are drawn again every two seconds while people use them.
 */
export function keyed<Item, Made extends Element>(
  parent: Element,
  items: readonly Item[],
  {
    key,
    create,
    update,
  }: { key(item: Item): string; create(item: Item): Made; update?(element: Made, item: Item): void },
): void {
  const known = made.get(parent) ?? new Map<string, Element>();
  const next = new Map<string, Element>();
  let place: ChildNode | null = parent.firstChild;
  for (const item of items) {
    const name = key(item);
    const element = (known.get(name) as Made | undefined) ?? create(item);
    update?.(element, item);
    next.set(name, element);
    if (element === place) place = place.nextSibling;
    else parent.insertBefore(element, place);
  }
  for (const [name, element] of known) if (next.get(name) !== element) element.remove();
  made.set(parent, next);
}

const made = new WeakMap<Element, Map<string, Element>>();

/** Arrow keys, Home and End move the focus among the elements of `container` that match `selector`. */
export function arrowKeys(container: HTMLElement, selector: string): void {
  container.addEventListener('keydown', (event) => {
    const all = [...container.querySelectorAll<HTMLElement>(selector)];
    const current = all.findIndex((each) => each.contains(document.activeElement));
    const targets: { readonly [key: string]: number } = {
      ArrowDown: Math.min(current + 1, all.length - 1),
      ArrowUp: Math.max(current - 1, 0),
      Home: 0,
      End: all.length - 1,
    };
    const target = targets[event.key];
    if (target === undefined || current < 0) return;
    event.preventDefault();
    all[target]?.focus();
  });
}
