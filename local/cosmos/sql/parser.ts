import type { Expression, Join, OrderItem, Query, Selection } from './ast.ts';
import { unsupported } from './errors.ts';
import { parseExpression } from './expressionParser.ts';
import { TokenStream } from './tokenStream.ts';

/** The alias of the document in a query that names only a part of it. */
const DEFAULT_ALIAS = 'root';

/** Parses a query. @throws {CosmosError} 400 with the position of a syntax error, or the name of what is unsupported */
export function parseQuery(text: string): Query {
  const tokens = new TokenStream(text);
  tokens.expectKeyword('SELECT');
  let distinct = tokens.acceptKeyword('DISTINCT');
  const top = tokens.acceptKeyword('TOP') ? parseCount(tokens) : undefined;
  if (tokens.acceptKeyword('DISTINCT')) distinct = true;
  const select = parseSelection(tokens);
  const query = { distinct, top, select, ...parseSource(tokens), ...parseClauses(tokens) };
  if (tokens.peek().kind !== 'end') throw tokens.unexpected();
  return query;
}

/** Parses a patch condition, `FROM c WHERE …`. @throws {CosmosError} 400 */
export function parseCondition(text: string): { readonly alias: string; readonly where: Expression } {
  const tokens = new TokenStream(text);
  const { alias, joins } = parseSource(tokens);
  tokens.expectKeyword('WHERE');
  const where = parseExpression(tokens);
  if (tokens.peek().kind !== 'end') throw tokens.unexpected();
  if (joins.length > 0) throw unsupported('JOIN in a condition');
  return { alias, where };
}

function parseSelection(tokens: TokenStream): Selection {
  if (tokens.acceptSymbol('*')) return { kind: 'star' };
  if (tokens.atKeyword('VALUE')) {
    tokens.take();
    return { kind: 'value', expression: parseExpression(tokens) };
  }
  const items: { name: string; expression: Expression }[] = [];
  let unnamed = 0;
  do {
    const expression = parseExpression(tokens);
    let name = naturalName(expression);
    if (tokens.acceptKeyword('AS'))
      name = tokens.peek().kind === 'string' ? String(tokens.take().value) : tokens.expectName();
    else if (tokens.atName()) name = tokens.expectName();
    if (name === undefined) {
      unnamed += 1;
      name = `$${unnamed}`;
    }
    items.push({ name, expression });
  } while (tokens.acceptSymbol(','));
  return { kind: 'list', items };
}

/** What a column is called without an alias: the last name of its path. */
function naturalName(expression: Expression): string | undefined {
  if (expression.kind === 'identifier') return expression.name;
  if (expression.kind !== 'member' || expression.property.kind !== 'literal') return undefined;
  return typeof expression.property.value === 'string' ? expression.property.value : undefined;
}

function parseSource(tokens: TokenStream): { alias: string; joins: Join[] } {
  if (!tokens.acceptKeyword('FROM')) {
    if (tokens.peek().kind !== 'end') throw tokens.unexpected();
    throw unsupported('a query without FROM', tokens.peek().span);
  }
  const joins: Join[] = [];
  let alias = tokens.expectName();
  if (tokens.acceptKeyword('IN')) {
    joins.push({ alias, source: rootedPath(tokens) });
    alias = DEFAULT_ALIAS;
  } else {
    if (tokens.atSymbol('.') || tokens.atSymbol('[')) throw unsupported('a path after FROM', tokens.peek().span);
    if (tokens.acceptKeyword('AS') || tokens.atName()) alias = tokens.expectName();
  }
  while (tokens.acceptKeyword('JOIN')) {
    if (tokens.atSymbol('(')) throw unsupported('subqueries', tokens.peek().span);
    const name = tokens.expectName();
    tokens.expectKeyword('IN');
    joins.push({ alias: name, source: parseExpression(tokens) });
  }
  if (tokens.atSymbol(',')) throw unsupported('several sources after FROM', tokens.peek().span);
  return { alias, joins };
}

/** In `FROM t IN c.items` the first name is the container, whatever it is called. */
function rootedPath(tokens: TokenStream): Expression {
  const source = parseExpression(tokens);
  const rebase = (expression: Expression): Expression => {
    if (expression.kind === 'identifier') return { ...expression, name: DEFAULT_ALIAS };
    if (expression.kind === 'member') return { ...expression, object: rebase(expression.object) };
    throw unsupported('an expression after FROM … IN', tokens.peek().span);
  };
  return rebase(source);
}

function parseClauses(tokens: TokenStream): Pick<Query, 'where' | 'groupBy' | 'orderBy' | 'offset' | 'limit'> {
  const where = tokens.acceptKeyword('WHERE') ? parseExpression(tokens) : undefined;
  const groupBy: Expression[] = [];
  if (tokens.acceptKeyword('GROUP')) {
    tokens.expectKeyword('BY');
    do groupBy.push(parseExpression(tokens));
    while (tokens.acceptSymbol(','));
  }
  if (tokens.atKeyword('HAVING')) throw unsupported('HAVING', tokens.peek().span);
  const orderBy: OrderItem[] = [];
  if (tokens.acceptKeyword('ORDER')) {
    tokens.expectKeyword('BY');
    if (tokens.atKeyword('RANK')) throw unsupported('ORDER BY RANK', tokens.peek().span);
    do {
      const expression = parseExpression(tokens);
      const descending = tokens.acceptKeyword('DESC');
      if (!descending) tokens.acceptKeyword('ASC');
      orderBy.push({ expression, descending });
    } while (tokens.acceptSymbol(','));
  }
  if (!tokens.acceptKeyword('OFFSET')) return { where, groupBy, orderBy, offset: undefined, limit: undefined };
  const offset = parseCount(tokens);
  tokens.expectKeyword('LIMIT');
  return { where, groupBy, orderBy, offset, limit: parseCount(tokens) };
}

function parseCount(tokens: TokenStream): Expression {
  const token = tokens.peek();
  if (token.kind !== 'number' && token.kind !== 'parameter') throw tokens.unexpected();
  tokens.take();
  if (token.kind === 'parameter') return { kind: 'parameter', name: token.text, span: token.span };
  return { kind: 'literal', value: token.value };
}
