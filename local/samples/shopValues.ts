import type { SeededRandom } from './random.ts';

const FIRST_NAMES = ['Ada', 'Zoë', 'Łukasz', 'Amélie', 'Olumide', 'さくら', "D'Arcy", 'Nikola'] as const;
const LAST_NAMES = ['Nikolić', 'Müller', 'O"Neill', 'García', 'Nguyễn', '李', 'Smith-Jones', 'Bakker'] as const;
const THINGS = ['lamp', 'kettle', 'chair', 'rug ½ m', 'cup ☕', 'clock', 'piñata', 'umbrella'] as const;
const MOODS = ['plain', 'blue', 'tiny', '"deluxe"', 'foldable\n2-in-1', 'glow 🌙', 'C:\\dark', '50 %'] as const;

export function personName(random: SeededRandom): string {
  return `${random.pick(FIRST_NAMES)} ${random.pick(LAST_NAMES)}`;
}

export function email(name: string, number: number): string {
  return `${name.replace(/[^A-Za-z]/g, '').toLowerCase()}.${number}@example.com`;
}

export function productTitle(random: SeededRandom): string {
  return `${random.pick(MOODS)} ${random.pick(THINGS)}`;
}

/** Some words, up to a number of characters; emoji, quotes and line ends among them. */
export function paragraph(random: SeededRandom, mostCharacters: number): string {
  const length = random.integer(0, mostCharacters);
  const words: string[] = [];
  for (let used = 0; used < length; used += words.at(-1)?.length ?? 1) {
    words.push(random.oneIn(5) ? `🎁${random.pick(MOODS)}` : random.pick(THINGS));
  }
  return words.join(' ');
}

/** A decimal number as SQL Server writes one of `scale` places. */
export function price(random: SeededRandom, scale: number): string {
  return `${random.integer(0, 99_999)}.${String(random.integer(0, 10 ** scale - 1)).padStart(scale, '0')}`;
}

/** The second of `time` with seven digits of a fraction, without a zone. */
export function moment(random: SeededRandom, time: string): string {
  return `${time.slice(0, 19)}.${String(random.integer(0, 9_999_999)).padStart(7, '0')}`;
}
