/** Inputs per second of this thread's own time, so that other work on the machine does not count. */
export interface Rates {
  readonly floor: number;
  readonly subject: number;
}

/** What is done with one input. */
export type Work<Input> = (input: Input) => unknown;

/** Floor and subject take turns in slices this long, so that a noisy neighbour harms both alike. */
const SLICE_MS = 100;
/** For the engine to compile each of both: it takes as long however short the contest is. */
const WARM_UP_MS = 500;
const MICROSECONDS_PER_SECOND = 1_000_000;

/** Lets both work through `inputs`, round after round, for about `milliseconds` in all after they have warmed up. */
export function compete<Input>(
  { floor, subject }: { readonly floor: Work<Input>; readonly subject: Work<Input> },
  inputs: readonly Input[],
  milliseconds: number,
): Rates {
  const contestants = { floor: new Contestant(floor, inputs), subject: new Contestant(subject, inputs) };
  const both = Object.values(contestants);
  for (const contestant of both) contestant.workFor(WARM_UP_MS);
  for (const contestant of both) contestant.forget();
  for (let spent = 0; spent < milliseconds; spent += 2 * SLICE_MS) {
    for (const contestant of both) contestant.workFor(SLICE_MS);
  }
  return { floor: contestants.floor.rate, subject: contestants.subject.rate };
}

class Contestant<Input> {
  readonly #work: Work<Input>;
  readonly #inputs: readonly Input[];
  #done = 0;
  /** In all: the clock of a thread is too coarse to tell the rate of one slice. */
  #microseconds = 0;

  constructor(work: Work<Input>, inputs: readonly Input[]) {
    this.#work = work;
    this.#inputs = inputs;
  }

  get rate(): number {
    return (this.#done * MICROSECONDS_PER_SECOND) / this.#microseconds;
  }

  forget(): void {
    this.#done = 0;
    this.#microseconds = 0;
  }

  workFor(milliseconds: number): void {
    const start = performance.now();
    const startCpu = process.threadCpuUsage();
    do {
      for (const input of this.#inputs) this.#work(input);
      this.#done += this.#inputs.length;
    } while (performance.now() - start < milliseconds);
    const { user, system } = process.threadCpuUsage(startCpu);
    this.#microseconds += user + system;
  }
}
