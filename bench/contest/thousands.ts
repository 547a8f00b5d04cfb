/** A rate as it is printed. */
export function thousands(rate: number): string {
  return `${Math.round(rate / 1_000)},000`;
}
