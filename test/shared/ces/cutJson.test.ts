import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CutJson } from '../../../shared/ces/cutJson.ts';
import type { JsonValue } from '../../../shared/change/json.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { reasonOf } from './receive.ts';

/** Long enough to be cut out. */
const long = fc
  .tuple(fc.string({ unit: fc.constantFrom('a', '"', '\\', '\n', 'é', '日', '😀', '\u0000', '\ud83d') }), fc.nat(40))
  .map(([text, more]) => `${text}${'x€"\\'.repeat(400 + more)}${text}`);
const value: fc.Arbitrary<JsonValue> = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(fc.string(), long, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(fc.string(), long, fc.constant('__proto__')), tie('value'), { maxKeys: 4 }),
  ),
})).value as fc.Arbitrary<JsonValue>;
const record = fc.dictionary(fc.string(), value, { minKeys: 1, maxKeys: 4 });

function parseCut(bytes: Uint8Array): JsonValue {
  const cut = new CutJson(Uint8Array.from(bytes), 'it');
  const parsed = JSON.parse(cut.skeleton);
  if (typeof parsed === 'object' && parsed !== null) cut.mend(parsed);
  return parsed;
}

test('JSON without its long texts, and these put back, is what it was', () => {
  fc.assert(
    fc.property(record, fc.constantFrom(undefined, ' ', '\n\t'), (sent, indent) => {
      const text = JSON.stringify(sent, null, indent);
      assert.deepEqual(parseCut(Buffer.from(text)), JSON.parse(text));
    }),
  );
});

test('every way to write a character is understood', () => {
  const escapes = [
    '\\"',
    '\\\\',
    '\\/',
    '\\b',
    '\\f',
    '\\n',
    '\\r',
    '\\t',
    '\\u0041',
    '\\u00e9',
    '\\u20AC',
    '\\ud83d\\ude00',
  ];
  const text = `{"T":"${'x'.repeat(2_000)}${escapes.join('')} \\ude00\\ud83d \\ud83d\\u0041"}`;
  assert.deepEqual(parseCut(Buffer.from(text)), JSON.parse(text));
});

test('what is damaged is refused as it is as a whole', () => {
  fc.assert(
    fc.property(record, fc.nat(), fc.constantFrom('"', '\\', '{', ']', ',', '\n', 'u', ''), (sent, at, sign) => {
      const text = Buffer.from(JSON.stringify(sent)).toString('latin1');
      const start = at % text.length;
      const damaged = Buffer.from(text.slice(0, start) + sign + text.slice(start + 1), 'latin1');
      const expected = outcomeOf(() => JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(damaged)));
      assert.deepEqual(
        outcomeOf(() => parseCut(damaged)),
        expected,
      );
    }),
    { numRuns: 1_000 },
  );
});

describe('refused are', () => {
  const filler = 'x'.repeat(2_000);
  const cases: [string, string][] = [
    ['an escape that there is not', `{"T":"${filler}\\x"}`],
    ['an escape that ends early', `{"T":"${filler}\\u12"}`],
    ['a control character', `{"T":"${filler}\n"}`],
    ['a text without an end', `{"T":"${filler}`],
    ['more levels than any store keeps', `${'['.repeat(2_000)}"${filler}"${']'.repeat(2_000)}`],
  ];
  for (const [name, text] of cases) {
    test(name, () =>
      assert.equal(
        reasonOf(() => parseCut(Buffer.from(text))),
        'undecodable',
      ),
    );
  }
});

/** Damage may leave valid JSON, or bytes that are half a surrogate pair and a text all the same. */
function outcomeOf(work: () => JsonValue): JsonValue {
  try {
    return work();
  } catch (error) {
    assert.ok(error instanceof SyntaxError || error instanceof TypeError || error instanceof UnprocessableError);
    return 'refused';
  }
}
