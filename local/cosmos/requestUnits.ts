/**
 * Request units by document size, from the service's published table (default indexing). Between two sizes the charge
 * is interpolated; above the last one it grows at the last step's rate.
 */
const KIB_BYTES = 1024;
type ChargeTable = readonly (readonly [kib: number, units: number])[];

const READ_UNITS: ChargeTable = [
  [1, 1],
  [2, 1.04],
  [4, 1.14],
  [8, 1.33],
  [16, 1.67],
  [32, 2.19],
  [64, 4.76],
  [128, 9.95],
  [1024, 145.9],
];

const WRITE_UNITS: ChargeTable = [
  [1, 4.95],
  [2, 6.29],
  [4, 6.67],
  [8, 7.04],
  [16, 9.52],
  [32, 11.23],
  [64, 22.67],
  [128, 48.19],
  [1024, 625],
];

/** What a query costs before it returns anything: of the order seen with the service, which publishes no figure. */
const QUERY_BASE_UNITS = 2.8;

/** What is charged for an operation that fails after it looked. */
export const FAILED_OPERATION_UNITS = 1;

export function readCharge(bytes: number): number {
  return interpolate(READ_UNITS, bytes);
}

export function writeCharge(bytes: number): number {
  return interpolate(WRITE_UNITS, bytes);
}

/** The charge of one page of a query that returns this many bytes. */
export function queryPageCharge(bytes: number): number {
  return round(QUERY_BASE_UNITS + readCharge(bytes) - 1);
}

function interpolate(table: ChargeTable, bytes: number): number {
  const kib = bytes / KIB_BYTES;
  let [lowerKib, lowerUnits] = table[0] ?? [1, 1];
  if (kib <= lowerKib) return lowerUnits;
  let slope = 0;
  for (const [upperKib, upperUnits] of table.slice(1)) {
    slope = (upperUnits - lowerUnits) / (upperKib - lowerKib);
    if (kib <= upperKib) break;
    [lowerKib, lowerUnits] = [upperKib, upperUnits];
  }
  return round(lowerUnits + (kib - lowerKib) * slope);
}

function round(units: number): number {
  return Math.round(units * 100) / 100;
}
