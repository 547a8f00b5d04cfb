/** Tests the character at one place of a text; `ANY_TEXT` stands for any number of characters. */
type Matcher = (character: string) => boolean;
const ANY_TEXT = Symbol('%');

/**
 * LIKE patterns: `%` any text, `_` one character, `[abc]`, `[a-z]`, `[^abc]` one of a set; a character after the escape
 * character stands for itself.
 *
 * Matching goes through text and pattern side by side. At a mismatch it returns to the last `%` and lets that swallow
 * one character more; earlier ones never need another try, so the time is at most the product of the two lengths.
 */
export function compileLike(pattern: string, escapeCharacter: string | undefined): (text: string) => boolean {
  const parts = parsePattern([...pattern], escapeCharacter);
  return (text) => matches(parts, [...text]);
}

function parsePattern(pattern: readonly string[], escapeCharacter: string | undefined): (Matcher | typeof ANY_TEXT)[] {
  const parts: (Matcher | typeof ANY_TEXT)[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? '';
    const setEnd = character === '[' ? pattern.indexOf(']', index + 2) : -1;
    if (character === escapeCharacter && index + 1 < pattern.length) {
      index += 1;
      parts.push(exactly(pattern[index] ?? ''));
    } else if (setEnd > 0) {
      parts.push(oneOf(pattern.slice(index + 1, setEnd)));
      index = setEnd;
    } else if (character === '%') parts.push(ANY_TEXT);
    else parts.push(character === '_' ? () => true : exactly(character));
  }
  return parts;
}

function exactly(wanted: string): Matcher {
  return (character) => character === wanted;
}

function oneOf(content: readonly string[]): Matcher {
  const negated = content[0] === '^';
  const members = negated ? content.slice(1) : content;
  return (character) => {
    const inside = members.some((member, index) => {
      if (member === '-' && index > 0 && index + 1 < members.length) {
        return character >= (members[index - 1] ?? '') && character <= (members[index + 1] ?? '');
      }
      return character === member;
    });
    return inside !== negated;
  };
}

function matches(parts: readonly (Matcher | typeof ANY_TEXT)[], text: readonly string[]): boolean {
  let part = 0;
  let position = 0;
  let retry: { readonly part: number; readonly position: number } | undefined;
  while (position < text.length) {
    const current = parts[part];
    if (current === ANY_TEXT) {
      part += 1;
      retry = { part, position };
    } else if (current?.(text[position] ?? '')) {
      part += 1;
      position += 1;
    } else if (retry !== undefined) {
      retry = { part: retry.part, position: retry.position + 1 };
      ({ part, position } = retry);
    } else return false;
  }
  return parts.slice(part).every((rest) => rest === ANY_TEXT);
}
