import type { RowOutcome } from './rowWriter.ts';

/** What became of one change; `rejected` says what the store refused and how. */
export type ChangeOutcome = 'applied' | 'duplicate' | 'stale' | { readonly rejected: string };

/** A known change that still changed its row completes an attempt that died half way: it is applied now, not twice. */
export function outcomeOf(row: Exclude<RowOutcome, object>, recorded: 'created' | 'known'): ChangeOutcome {
  if (row === 'applied') return 'applied';
  return recorded === 'known' ? 'duplicate' : 'stale';
}

export function refused(what: 'change' | 'row', status: number): ChangeOutcome {
  return { rejected: `the document of the ${what} was refused with status ${status}` };
}
