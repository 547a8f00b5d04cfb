/** The property test of split events, at length. */
process.env.SPLIT_EVENT_RUNS ??= '150';
await import('../shared/ces/splitEvents.test.ts');

export {};
