import { ApiError } from '../api.ts';
import type { DeadLetterFilter, DeadLetterSummary, Replayed } from '../contract.ts';
import { ask } from '../dialogs.ts';
import { counted } from '../format.ts';
import type { Context } from '../view.ts';

const FORCE = 'Replay even what is older than tombstones are kept (it might bring a deleted row back)';

const NOT_FOUND = 404;

export type LetterName = Pick<DeadLetterSummary, 'stream' | 'id'>;
type Which = { readonly ids: readonly LetterName[] } | { readonly filter: DeadLetterFilter };

/** Asks, replays, says what came of it. Returns whether anything was done. */
export async function replay(context: Context, which: Which, what: string): Promise<boolean> {
  const consent = await ask({
    title: `Replay ${what}?`,
    text: 'Each record runs through today’s code. One that succeeds leaves the dead letters; one that fails again stays and counts a try. Doing it twice changes nothing.',
    yes: 'Replay',
    option: FORCE,
  });
  if (consent === undefined) return false;
  try {
    context.announce(`Replaying ${what} …`);
    context.announce(inWords(await replayAll(context, which, consent.isOptionChosen)));
  } catch (error) {
    context.report('The replay failed', error);
  }
  context.refresh();
  return true;
}

/** The API does a bounded piece of the work at a time. */
async function replayAll(context: Context, which: Which, force: boolean): Promise<Replayed> {
  let total = await context.api.replay(which, force, null);
  while (total.continuation !== null) {
    context.announce(`Replaying: ${counted(total.remaining, 'record')} to go …`);
    total = added(total, await context.api.replay(which, force, total.continuation));
  }
  return total;
}

function added(total: Replayed, piece: Replayed): Replayed {
  const sum = (name: Count) => total[name] + piece[name];
  return {
    replayed: sum('replayed'),
    applied: sum('applied'),
    duplicate: sum('duplicate'),
    stale: sum('stale'),
    segments: sum('segments'),
    parked: sum('parked'),
    catalog: sum('catalog'),
    ignored: sum('ignored'),
    stillDead: sum('stillDead'),
    missing: sum('missing'),
    remaining: piece.remaining,
    continuation: piece.continuation,
    errors: [...total.errors, ...piece.errors],
  };
}

type Count = Exclude<keyof Replayed, 'remaining' | 'continuation' | 'errors'>;

const OUTCOMES = [
  ['applied', 'applied'],
  ['duplicate', 'duplicate'],
  ['stale', 'stale'],
  ['segments', 'waiting for segments'],
  ['parked', 'parked'],
  ['catalog', 'about a table'],
  ['ignored', 'about nothing'],
] as const satisfies readonly (readonly [Count, string])[];

function inWords(total: Replayed): string {
  const outcomes = OUTCOMES.filter(([name]) => total[name] > 0).map(([name, words]) => `${total[name]} ${words}`);
  const [first] = total.errors;
  const why = first === undefined ? '' : ` (${first.reason}: ${first.detail})`;
  const parts = [
    `Replayed ${counted(total.replayed, 'record')}${outcomes.length === 0 ? '' : `: ${outcomes.join(', ')}`}.`,
    total.stillDead === 0 ? '' : `${total.stillDead} still dead${why}.`,
    total.missing === 0 ? '' : `${total.missing} gone already.`,
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** Asks, deletes one by one, says what came of it. Returns whether anything was done. */
export async function deleteLetters(context: Context, letters: readonly LetterName[], what: string): Promise<boolean> {
  const consent = await ask({
    title: `Delete ${what}?`,
    text: 'The record’s bytes are gone for good; it can be replayed no more.',
    yes: 'Delete',
    isDangerous: true,
  });
  if (consent === undefined) return false;
  try {
    for (const { stream, id } of letters) await context.api.deleteDeadLetter(stream, id).catch(ignoreMissing);
    context.announce(`Deleted ${what}.`);
  } catch (error) {
    context.report('Not everything could be deleted', error);
  }
  context.refresh();
  return true;
}

/** Somebody else may have been faster. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof ApiError) || error.status !== NOT_FOUND) throw error;
}
