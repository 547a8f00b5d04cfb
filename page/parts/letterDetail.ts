import type { DeadLetter } from '../contract.ts';
import { h } from '../dom.ts';
import { bytes, counted, hexDump, localTime } from '../format.ts';
import { steps } from '../history.ts';
import { sourceTitle } from '../sources.ts';
import { changeCard, changeTitle } from './changeCard.ts';
import { columnList } from './value.ts';

/** More bytes help nobody on a screen; all of them are in the API's answer. */
const DUMPED_BYTES = 4_096;

/** Everything that is known of a dead letter. */
export function letterDetail(letter: DeadLetter): Node[] {
  const facts = h(
    'p',
    { class: 'hint' },
    h('bdi', {}, letter.stream),
    ` · ${sourceTitle(letter.source)} · received ${localTime(letter.receivedAt)} · ${bytes(letter.byteLength)} · ${triesText(letter.tries)}`,
  );
  return [
    h('p', { class: 'explanation' }, letter.explanation),
    h('p', { class: 'block-text' }, h('bdi', {}, letter.detail)),
    facts,
    section('Decoded as far as it goes', ...decodedParts(letter.decoded)),
    section('Position', columnList(letter.position)),
    ...(letter.text !== null && letter.text !== '' ? [section('Text', h('pre', { class: 'block' }, letter.text))] : []),
    ...bytesParts(letter),
  ];
}

export function triesText(tries: number): string {
  return tries === 0 ? 'never replayed' : `${counted(tries, 'replay')} failed`;
}

function section(title: string, ...content: readonly Node[]): HTMLElement {
  return h('div', { class: 'part' }, h('h3', {}, title), ...content);
}

function decodedParts({ changes = [], error }: DeadLetter['decoded']): Node[] {
  const cards = changes.flatMap((change) => steps([change])).flatMap((step) => [changeTitle(step), changeCard(step)]);
  if (error !== undefined) {
    cards.push(h('p', { class: 'block-text problem' }, `${error.reason}: `, h('bdi', {}, error.detail)));
  }
  return cards.length === 0 ? [h('p', { class: 'hint' }, 'It holds no changes.')] : cards;
}

function bytesParts({ bytes: own, pieces }: DeadLetter): HTMLElement[] {
  const all =
    pieces.length === 0
      ? [{ title: 'Bytes', base64: own }]
      : pieces.map((piece, index) => {
          return { title: `Piece ${index + 1} of ${pieces.length} that came`, base64: piece.bytes };
        });
  return all.map(({ title, base64 }) => {
    const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const isCut = data.length > DUMPED_BYTES;
    const note = isCut ? h('p', { class: 'hint' }, `The first ${bytes(DUMPED_BYTES)} of ${bytes(data.length)}.`) : null;
    const dump = h('pre', { class: 'block dump', tabindex: 0 }, hexDump(data.subarray(0, DUMPED_BYTES)));
    return h('details', { class: 'part' }, h('summary', {}, `${title} (${bytes(data.length)})`), note, dump);
  });
}
