/** The property tests of GoldenGate records, at length. */
process.env.GOLDENGATE_RUNS ??= '150';
process.env.SHIFT_RUNS ??= '100';
await import('../shared/goldengate/histories.test.ts');
await import('../shared/goldengate/shifts.test.ts');

export {};
