/** The paging part of the conformance suite among as many documents as a busy table has. */
process.env.TRIBUTARY_CONFORMANCE_DOCUMENTS ??= '100000';
await import('./conformancePaging.test.ts');

export {};
