/**
 * Tokens below which nothing about any row of a table counts, by table: a truncated table's rows merge from its truncation
 * on. Tables that are not in it were never truncated.
 */
export type TableFloors = ReadonlyMap<string, string>;
