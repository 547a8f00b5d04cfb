import type { RawNumber } from './rawNumber.ts';

export type PosValue = null | string | number | RawNumber;

/** A row, or what an image shows of it. */
export type PosRow = Readonly<Record<string, PosValue>>;

export interface PosTable {
  readonly name: string;
  readonly columns: Readonly<Record<string, { readonly type: 'number' | 'string'; readonly key?: true }>>;
}

/** One change as GoldenGate captured it. */
export interface PosEvent {
  readonly table: PosTable;
  readonly op: 'INSERT' | 'UPDATE' | 'DELETE';
  /** ISO 8601 in UTC, whole seconds: many operations share one. */
  readonly time: string;
  readonly transaction: string;
  /** Place of the change in the trail, from 0. */
  readonly sequence: number;
  readonly before: PosRow | null;
  readonly after: PosRow | null;
}
