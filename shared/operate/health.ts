/** One thing that the app cannot work without. */
export interface Dependency {
  readonly name: string;
  /** Resolves when the dependency answers; rejects when it does not. */
  touch(): Promise<void>;
  /** How long it may take; a dependency that takes longer is down. */
  readonly timeLimitMs?: number;
}

export interface DependencyState {
  readonly status: 'up' | 'down';
  readonly milliseconds: number;
  /** What is wrong; only where something is. */
  readonly detail?: string;
}

export interface Health {
  readonly status: 'up' | 'down';
  readonly dependencies: { readonly [name: string]: DependencyState };
}

/** Whoever asks has a time limit of their own. */
const TIME_LIMIT_MS = 5_000;

/** Touches every dependency, side by side. Never throws. */
export async function checkHealth(dependencies: readonly Dependency[]): Promise<Health> {
  const states = await Promise.all(
    dependencies.map(
      async (dependency): Promise<[string, DependencyState]> => [dependency.name, await stateOf(dependency)],
    ),
  );
  const isUp = states.every(([, { status }]) => status === 'up');
  return { status: isUp ? 'up' : 'down', dependencies: Object.fromEntries(states) };
}

async function stateOf({ touch, timeLimitMs = TIME_LIMIT_MS }: Dependency): Promise<DependencyState> {
  const started = performance.now();
  const elapsed = () => Math.round(performance.now() - started);
  let timer: NodeJS.Timeout | undefined;
  try {
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer within ${timeLimitMs} ms`)), timeLimitMs);
    });
    await Promise.race([touch(), limit]);
    return { status: 'up', milliseconds: elapsed() };
  } catch (error) {
    return { status: 'down', milliseconds: elapsed(), detail: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
  }
}
