/** The tests of GoldenGate requests that die, at every write, and the property test, at length. */
process.env.GOLDENGATE_DEATH_STEP ??= '1';
process.env.GOLDENGATE_RUNS ??= '150';
await import('../shared/goldengate/waiting.test.ts');
await import('../shared/goldengate/truncate.test.ts');
await import('../shared/goldengate/histories.test.ts');

export {};
