/** The four sources in the order in which the page shows them. */
export const SOURCES = [
  { source: 'ces', title: 'SQL Server', kind: 'change event streaming' },
  { source: 'blob', title: 'Blob Storage', kind: 'change feed' },
  { source: 'goldengate', title: 'GoldenGate', kind: 'Oracle' },
  { source: 'qlik', title: 'Qlik Replicate', kind: 'messages' },
] as const;

/** The place of a source in that order; undefined for one that is not known. */
export function sourceIndex(source: string): number | undefined {
  const index = SOURCES.findIndex((each) => each.source === source);
  return index < 0 ? undefined : index;
}

export function sourceTitle(source: string): string {
  return SOURCES.find((each) => each.source === source)?.title ?? source;
}
