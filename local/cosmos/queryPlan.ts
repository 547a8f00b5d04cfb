import type { Query } from './sql/ast.ts';

/** The one partition key range of every container, from the least effective key to the greatest. */
export const PARTITION_KEY_RANGE = { id: '0', minInclusive: '', maxExclusive: 'FF' };

/**
 * The plan for a query. A client uses it to merge the answers of several physical partitions; here there is one, whose
 * answer is complete: nothing is left to sort, aggregate, deduplicate or cut. So the plan asks for no rewriting, and
 * the client passes the pages through.
 */
export function queryPlan(query: Query): object {
  return {
    partitionedQueryExecutionInfoVersion: 2,
    queryInfo: {
      distinctType: 'None',
      top: null,
      offset: null,
      limit: null,
      orderBy: [],
      orderByExpressions: [],
      groupByExpressions: [],
      groupByAliases: [],
      aggregates: [],
      groupByAliasToAggregateType: {},
      rewrittenQuery: '',
      hasSelectValue: query.select.kind === 'value',
      hasNonStreamingOrderBy: false,
      dCountInfo: null,
    },
    queryRanges: [
      {
        min: PARTITION_KEY_RANGE.minInclusive,
        max: PARTITION_KEY_RANGE.maxExclusive,
        isMinInclusive: true,
        isMaxInclusive: false,
      },
    ],
  };
}
