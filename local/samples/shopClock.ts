import type { SeededRandom } from './random.ts';

/** The log of the shop's database begins in this virtual log file. */
const FIRST_LOG_FILE = 0xb1;
const BLOCKS_PER_LOG_FILE = 0x10000;
const START = Date.parse('2026-08-07T08:00:00.000Z');
const MOST_MS_BETWEEN_TRANSACTIONS = 900;
/** SQL Server's `datetime` counts three hundredths of a second, so commit times end in 0, 3 or 7. */
const TICKS_PER_SECOND = 300;

/** What the server notes about one transaction. */
export interface ShopTransaction {
  readonly commitLsn: string;
  readonly beginLsn: string;
  readonly time: string;
}

/** Log positions and commit times that grow from transaction to transaction, as a server's do. */
export class ShopClock {
  readonly #random: SeededRandom;
  #block = 0x8a8;
  #milliseconds = START;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  next(): ShopTransaction {
    this.#block += this.#random.integer(1, 12);
    this.#milliseconds += this.#random.integer(1, MOST_MS_BETWEEN_TRANSACTIONS);
    const ticks = Math.floor((this.#milliseconds * TICKS_PER_SECOND) / 1000);
    const file = FIRST_LOG_FILE + Math.floor(this.#block / BLOCKS_PER_LOG_FILE);
    const position = `${hex(file, 8)}:${hex(this.#block % BLOCKS_PER_LOG_FILE, 8)}`;
    return {
      beginLsn: `${position}:${hex(this.#random.integer(1, 3), 4)}`,
      commitLsn: `${position}:${hex(this.#random.integer(4, 40), 4)}`,
      time: new Date(Math.round((ticks * 1000) / TICKS_PER_SECOND)).toISOString(),
    };
  }
}

function hex(number: number, digits: number): string {
  return number.toString(16).toUpperCase().padStart(digits, '0');
}
