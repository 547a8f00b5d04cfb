import type { NormalizedChange } from '../change/change.ts';
import type { KnownMove } from './moves.ts';
import { rowNamesOf } from './rowName.ts';

export interface Candidate {
  /** Position of the delivery in its batch. */
  readonly index: number;
  readonly change: NormalizedChange;
  /** Of a move that is known to be recorded. */
  readonly known?: KnownMove | undefined;
}

/** Candidates that are worked on together. */
export interface Run {
  readonly kind: 'plain' | 'moves' | 'knownMoves';
  readonly candidates: readonly Candidate[];
}

/**
 * Cuts a batch where the order of its changes matters across rows: a change that moves a row reads the old row, so what
 * came before it must be in, and what came after must not. Moves that touch no common key go together. Known moves read
 * no row, and go together whatever they touch.
 */
export function runsOf(candidates: readonly Candidate[]): readonly Run[] {
  const runs: Run[] = [];
  let kind: Run['kind'] = 'plain';
  let run: Candidate[] = [];
  const touched = new Set<string>();
  for (const candidate of candidates) {
    const kindOfNext = kindOf(candidate);
    const rows = kindOfNext === 'moves' ? rowNamesOf(candidate.change) : [];
    if (kindOfNext !== kind || rows.some((row) => touched.has(row))) {
      if (run.length > 0) runs.push({ kind, candidates: run });
      kind = kindOfNext;
      run = [];
      touched.clear();
    }
    run.push(candidate);
    for (const row of rows) touched.add(row);
  }
  if (run.length > 0) runs.push({ kind, candidates: run });
  return runs;
}

function kindOf({ change, known }: Candidate): Run['kind'] {
  if (change.movedFrom === undefined) return 'plain';
  return known === undefined ? 'moves' : 'knownMoves';
}
