/** Route templates in the form that ASP.NET Core and therefore Azure Functions understand. */

interface Literal {
  readonly kind: 'literal';
  /** Lower case: literals match without regard to case. */
  readonly text: string;
}

interface Parameter {
  readonly kind: 'parameter' | 'catchAll';
  readonly name: string;
  readonly constraints: readonly string[];
  readonly optional: boolean;
  readonly defaultValue: string | undefined;
}

export interface RouteTemplate {
  readonly text: string;
  readonly segments: readonly (Literal | Parameter)[];
}

export type RouteParameters = Readonly<Record<string, string>>;

const PARAMETER = /^\{(\*{0,2})([A-Za-z_][A-Za-z0-9_-]*)((?::[^{}=?]+)*)(?:=([^{}?]*))?(\?)?\}$/;

const CONSTRAINTS: Readonly<Record<string, RegExp>> = {
  int: /^[+-]?\d{1,10}$/,
  long: /^[+-]?\d{1,19}$/,
  guid: /^\{?[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\}?$/i,
  alpha: /^[a-z]*$/i,
  bool: /^(?:true|false)$/i,
};

/**
 * Parses a template such as `api/rows/{table}/{id:int?}` or `api/files/{*rest}`. Constraints other than int, long, guid,
 * alpha and bool are accepted and not checked. Throws Error for a segment that mixes text and parameters.
 */
export function parseRoute(text: string): RouteTemplate {
  const parts = text.split('/').filter((part) => part !== '');
  const segments = parts.map((part, index): Literal | Parameter => {
    if (!part.includes('{')) {
      return { kind: 'literal', text: part.toLowerCase() };
    }
    const match = PARAMETER.exec(part);
    if (match === null) {
      throw new Error(`the route "${text}" has a segment that is not understood: "${part}"`);
    }
    const [, stars = '', name = '', constraints = '', defaultValue, optional] = match;
    if (stars !== '' && index < parts.length - 1) {
      throw new Error(`in the route "${text}" {${stars}${name}} must be the last segment`);
    }
    return {
      kind: stars === '' ? 'parameter' : 'catchAll',
      name,
      constraints: constraints.split(':').filter((constraint) => constraint !== ''),
      optional: optional !== undefined,
      defaultValue,
    };
  });
  return { text, segments };
}

/**
 * The parameters when the path fits the template, else undefined. The path is still percent-encoded; parameters come
 * decoded, except that `%2F` stays as it is. Throws URIError for broken percent-encoding.
 */
export function matchRoute(template: RouteTemplate, path: string): RouteParameters | undefined {
  const given = path.split('/').slice(1);
  if (given.at(-1) === '') {
    given.pop();
  }
  const parameters: Record<string, string> = {};
  for (const [index, segment] of template.segments.entries()) {
    if (segment.kind === 'catchAll') {
      return matchCatchAll(segment, given.slice(index), parameters);
    }
    const text = given[index];
    if (text === undefined || text === '') {
      if (segment.kind === 'literal' || (!segment.optional && segment.defaultValue === undefined)) {
        return undefined;
      }
      if (segment.defaultValue !== undefined) {
        parameters[segment.name] = segment.defaultValue;
      }
      continue;
    }
    const value = decodeSegment(text);
    if (segment.kind === 'literal' ? value.toLowerCase() !== segment.text : !fits(segment, value)) {
      return undefined;
    }
    if (segment.kind === 'parameter') {
      parameters[segment.name] = value;
    }
  }
  return given.length > template.segments.length ? undefined : parameters;
}

function matchCatchAll(
  segment: Parameter,
  rest: readonly string[],
  parameters: Record<string, string>,
): RouteParameters {
  const value = rest.length === 0 ? segment.defaultValue : rest.map(decodeSegment).join('/');
  return value === undefined ? parameters : { ...parameters, [segment.name]: value };
}

function fits(segment: Parameter, value: string): boolean {
  return segment.constraints.every((constraint) => CONSTRAINTS[constraint]?.test(value) ?? true);
}

/** A slash that came encoded must not look like a separator afterwards. */
function decodeSegment(segment: string): string {
  return decodeURIComponent(segment.replace(/%2f/gi, '%252F'));
}

function rank(segment: Literal | Parameter | undefined): number {
  if (segment === undefined || segment.kind === 'literal') {
    return 0;
  }
  if (segment.kind === 'catchAll') {
    return 3;
  }
  return segment.constraints.length > 0 ? 1 : 2;
}

/** Sort order: the template that says more about a path is tried first. */
export function compareRoutes(a: RouteTemplate, b: RouteTemplate): number {
  const length = Math.max(a.segments.length, b.segments.length);
  for (let index = 0; index < length; index += 1) {
    const difference = rank(a.segments[index]) - rank(b.segments[index]);
    if (difference !== 0) {
      return difference;
    }
  }
  return a.segments.length - b.segments.length;
}
