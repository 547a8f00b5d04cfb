/** Where the viewer is, kept in the fragment of the address: it survives a reload and the back button works. */
export interface Route {
  readonly view: ViewName;
  readonly parameters: URLSearchParams;
}

export const VIEW_NAMES = ['overview', 'deadletters', 'tables'] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** Reads `#/deadletters?stream=ces`. What it does not know leads to the overview. */
export function parseRoute(fragment: string): Route {
  const [path = '', query = ''] = fragment.replace(/^#\/?/, '').split(/\?(.*)/s);
  const view = VIEW_NAMES.find((name) => name === path) ?? 'overview';
  return { view, parameters: new URLSearchParams(query) };
}

/** The address of a view. Empty and missing parameters are left out. */
export function hrefOf(
  view: ViewName,
  parameters: { readonly [name: string]: string | null | undefined } = {},
): string {
  const present = Object.entries(parameters).filter((each): each is [string, string] => Boolean(each[1]));
  return `#/${view}${present.length === 0 ? '' : `?${new URLSearchParams(present)}`}`;
}
