/** The tests of GoldenGate requests that die, at every write, and the property tests, at length. */
process.env.GOLDENGATE_DEATH_STEP ??= '1';
process.env.GOLDENGATE_RUNS ??= '150';
process.env.SHIFT_RUNS ??= '100';
await import('../shared/goldengate/waiting.test.ts');
await import('../shared/goldengate/truncate.test.ts');
await import('../shared/goldengate/histories.test.ts');
await import('../shared/goldengate/shifts.test.ts');

export {};
