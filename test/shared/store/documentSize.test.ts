import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { isTooLarge, jsonBytes } from '../../../shared/store/documentSize.ts';

describe('the size of a document', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'é', '日', '😀', '"', '\\', '\n', '\u0000', '\u001f', '\ud83d', '\ude00'),
  });

  test('is that of its JSON in UTF-8', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(text, text)), fc.anything({ values: [text, fc.double()] })),
        (value) => {
          const json = JSON.stringify(value);
          if (json !== undefined && typeof value !== 'function')
            assert.equal(jsonBytes(value), Buffer.byteLength(json));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('is compared exactly, also where the estimate would say otherwise', () => {
    const document = { text: 'x'.repeat(100) };
    const bytes = Buffer.byteLength(JSON.stringify(document));
    assert.deepEqual([isTooLarge(document, bytes), isTooLarge(document, bytes - 1)], [false, true]);
  });
});
