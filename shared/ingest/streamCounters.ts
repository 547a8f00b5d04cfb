import type { Source } from '../change/change.ts';
import type { CounterDocument, CounterStore } from '../store/counters.ts';
import { metered, newRequestMeter } from '../store/requestMeter.ts';
import type { Outcome } from './delivery.ts';
import { MinuteRing } from './minuteRing.ts';

/** What is counted per stream. */
export interface Counts {
  received: number;
  applied: number;
  duplicate: number;
  stale: number;
  parked: number;
  /** Pieces of split events. */
  segments: number;
  deadLettered: number;
  /** Records about tables and schemas. */
  catalog: number;
  /** Records about no row and no table. */
  ignored: number;
  /** Messages with a mask of columns that could not be used. */
  ignoredMasks: number;
  bytes: number;
}

/** Much shorter than what makes counters ripe for folding. */
const SILENCE_MS = 86_400_000;

/**
 * What this instance did for one stream, counted in memory and saved at most once per batch. Saves do not pile up: a
 * batch that ends while a save is under way waits for that one and saves what has come since, together with every
 * other batch that waits.
 */
export class StreamCounters {
  readonly #store: Pick<CounterStore, 'save'>;
  #identity: Identity;
  #counts = noCounts();
  readonly #minutes = new MinuteRing();
  readonly #observe: (added: Readonly<Counts>) => void;
  readonly #meter = newRequestMeter();
  #lagSeconds: number | null = null;
  #savedAt = Date.now();
  #isSaved = true;
  #saving: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(
    store: Pick<CounterStore, 'save'>,
    source: Source,
    stream: string,
    instance: string,
    observe: (added: Readonly<Counts>) => void = () => {},
  ) {
    this.#store = store;
    this.#observe = observe;
    this.#identity = identityOf(source, stream, instance);
  }

  /** Runs `work` for this stream: what it costs is counted here. */
  metered<Result>(work: () => Promise<Result>): Promise<Result> {
    return metered(this.#meter, work);
  }

  /** Counts a batch. `newestEventAt` is when its newest event came into being, ISO 8601, where that is known. */
  count(outcomes: readonly Outcome[], bytes: number, newestEventAt: string | null): void {
    this.#beginAnewAfterSilence();
    this.#add(outcomes, { received: outcomes.length, bytes });
    if (newestEventAt !== null) this.#lagSeconds = Math.max(0, (Date.now() - Date.parse(newestEventAt)) / 1000);
  }

  /** Counts records that had waited, and were counted as received and parked when they came. */
  countReplayed(outcomes: readonly Outcome[]): void {
    this.#add(outcomes, {});
  }

  countIgnoredMasks(messages: number): void {
    this.#counts.ignoredMasks += messages;
  }

  /** Resolves when all that was counted before the call is saved. Throws StoreUnavailableError. */
  async save(): Promise<void> {
    if (this.#saving === undefined) return this.#start();
    this.#next ??= this.#saving.catch(() => undefined).then(() => this.#start());
    return this.#next;
  }

  #start(): Promise<void> {
    this.#next = undefined;
    this.#isSaved = true;
    this.#saving = this.#store
      .save(this.#document())
      .then(() => {
        this.#savedAt = Date.now();
      })
      .catch((error: unknown) => {
        this.#isSaved = false;
        throw error;
      })
      .finally(() => {
        this.#saving = undefined;
      });
    return this.#saving;
  }

  /** Counters that were silent for long may be folded into one document (`foldCounters.ts`): they are not written again. */
  #beginAnewAfterSilence(): void {
    if (!this.#isSaved || Date.now() - this.#savedAt < SILENCE_MS) return;
    const { source, stream, instance } = this.#identity;
    this.#identity = identityOf(source, stream, `${instance}+`);
    this.#counts = noCounts();
    Object.assign(this.#meter, newRequestMeter());
  }

  #add(outcomes: readonly Outcome[], rest: Partial<Counts>): void {
    this.#isSaved = false;
    const added = { ...noCounts(), ...rest };
    for (const { outcome } of outcomes) added[outcome === 'segment' ? 'segments' : outcome]++;
    for (const name of Object.keys(added) as (keyof Counts)[]) this.#counts[name] += added[name];
    this.#minutes.add(added);
    this.#observe(added);
  }

  #document(): CounterDocument {
    return {
      ...this.#identity,
      updatedAt: new Date().toISOString(),
      counts: { ...this.#counts },
      minutes: this.#minutes.cells(),
      requestUnits: Math.round(this.#meter.requestUnits),
      throttled: this.#meter.throttled,
      lagSeconds: this.#lagSeconds,
    };
  }
}

type Identity = Pick<CounterDocument, 'id' | 'kind' | 'stream' | 'source' | 'instance' | 'startedAt'>;

function identityOf(source: Source, stream: string, instance: string): Identity {
  const id = `counters:${source}:${stream}:${instance}`;
  return { id, kind: 'counters', stream, source, instance, startedAt: new Date().toISOString() };
}

function noCounts(): Counts {
  return {
    received: 0,
    applied: 0,
    duplicate: 0,
    stale: 0,
    parked: 0,
    segments: 0,
    deadLettered: 0,
    catalog: 0,
    ignored: 0,
    ignoredMasks: 0,
    bytes: 0,
  };
}
