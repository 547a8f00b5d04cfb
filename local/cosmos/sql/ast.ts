import type { Json } from '../json.ts';

/** Where in the query text something begins and ends, for error messages. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export type BinaryOperator =
  | 'AND'
  | 'OR'
  | '='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '||'
  | '??';

export type Expression =
  | { readonly kind: 'literal'; readonly value: Json | undefined }
  | { readonly kind: 'parameter'; readonly name: string; readonly span: Span }
  | { readonly kind: 'identifier'; readonly name: string; readonly span: Span }
  | { readonly kind: 'member'; readonly object: Expression; readonly property: Expression }
  | { readonly kind: 'unary'; readonly operator: 'NOT' | '-' | '+'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'in';
      readonly value: Expression;
      readonly list: readonly Expression[];
      readonly negated: boolean;
    }
  | {
      readonly kind: 'between';
      readonly value: Expression;
      readonly low: Expression;
      readonly high: Expression;
      readonly negated: boolean;
    }
  | {
      readonly kind: 'like';
      readonly value: Expression;
      readonly pattern: Expression;
      readonly escape: Expression | undefined;
      readonly negated: boolean;
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[]; readonly span: Span }
  | {
      readonly kind: 'conditional';
      readonly condition: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [name: string, value: Expression])[] }
  | { readonly kind: 'array'; readonly items: readonly Expression[] };

export type Selection =
  | { readonly kind: 'star' }
  | { readonly kind: 'value'; readonly expression: Expression }
  | { readonly kind: 'list'; readonly items: readonly { readonly name: string; readonly expression: Expression }[] };

/** `JOIN alias IN source`: one row per element of an array. */
export interface Join {
  readonly alias: string;
  readonly source: Expression;
}

export interface OrderItem {
  readonly expression: Expression;
  readonly descending: boolean;
}

export interface Query {
  readonly distinct: boolean;
  readonly top: Expression | undefined;
  readonly select: Selection;
  /** The name of the document in the query. */
  readonly alias: string;
  readonly joins: readonly Join[];
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly orderBy: readonly OrderItem[];
  readonly offset: Expression | undefined;
  readonly limit: Expression | undefined;
}
