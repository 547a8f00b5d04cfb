/**
 * A token is a string that orders the changes of one stream for one row by plain comparison. Its last character is the
 * rank of the kind of change, so that two changes of different kinds never tie: at one position a delete outlives a
 * partial image, and a full image outlives both.
 */
export const TOKEN_RANK = { partial: '0', delete: '1', full: '2' } as const;

export type TokenRank = keyof typeof TOKEN_RANK;

/** The token of a row that was never seen: smaller than every token. */
export const LOWEST_TOKEN = '';

/** Joins a source's position (any string that sorts by plain comparison, of fixed width per stream) and a rank. */
export function tokenOf(position: string, rank: TokenRank): string {
  return `${position}:${TOKEN_RANK[rank]}`;
}

/** The token of another kind of change at the position of `token`. */
export function withRank(token: string, rank: TokenRank): string {
  return token.slice(0, -1) + TOKEN_RANK[rank];
}
