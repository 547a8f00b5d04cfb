/** Processes that die, at every write and not just at a sample of them. */
process.env.DEATH_STEP ??= '1';
await import('../shared/ces/replaySplitEvents.test.ts');
await import('../shared/ces/unfinishedEvents.test.ts');
await import('../shared/goldengate/truncate.test.ts');
await import('../shared/goldengate/waiting.test.ts');
await import('../shared/ingest/arrival.test.ts');
await import('../shared/ingest/hotRow.test.ts');
await import('../shared/ingest/parking.test.ts');
await import('../shared/ingest/pipeline.test.ts');
await import('../shared/operate/foldCounters.test.ts');
await import('../shared/operate/replay.test.ts');
await import('../shared/operate/replayOrder.test.ts');

export {};
