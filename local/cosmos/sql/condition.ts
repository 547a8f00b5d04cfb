import type { JsonObject } from '../json.ts';
import { compile } from './evaluate.ts';
import { parseCondition } from './parser.ts';

/**
 * Compiles the condition of a patch, `from c where c.state = 'open'`.
 * @throws {CosmosError} 400 when it cannot be parsed
 */
export function compileCondition(text: string): (document: JsonObject) => boolean {
  const { alias, where } = parseCondition(text);
  const holds = compile(where, { names: new Map([[alias, 0]]), parameters: new Map(), aggregates: undefined });
  return (document) => holds({ values: [document], aggregates: [] }) === true;
}
