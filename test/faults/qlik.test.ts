/** The property test of Qlik histories and the crashes among parked messages, at length. */
process.env.QLIK_HISTORY_RUNS ??= '150';
process.env.QLIK_WRITES_PER_LIFE ??= '2';
await import('../shared/qlik/histories.test.ts');
await import('../shared/qlik/parked.test.ts');

export {};
