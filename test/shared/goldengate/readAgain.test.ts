import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEFAULT_GOLDENGATE_STREAM } from '../../../shared/config.ts';
import { StreamReader } from '../../../shared/goldengate/stream.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';
import { cloudEvent } from './records.ts';

const LIMITS = { nestingLevels: 100, recordsPerRequest: 100 };

function readAgain(text: string) {
  const reader = new StreamReader('s', DEFAULT_GOLDENGATE_STREAM, LIMITS);
  const position = { cloudEvent: { id: 'x' } };
  return reader.readAgain(Buffer.from(text), position).map(({ content, part }) => ({
    content: content instanceof UnprocessableError ? [content.reason, content.message] : content.kind,
    byteLength: part.byteLength,
  }));
}

const list = (length: number) => `[${Array(length).fill('null')}]`;

describe('a list that is read again', () => {
  const wraps: readonly [string, (text: string) => string][] = [
    ['alone', (text) => text],
    ['in a list', (text) => `[${text}]`],
    ['in a CloudEvent', (text) => JSON.stringify(cloudEvent('1', JSON.parse(text)))],
    ['in the text of a CloudEvent', (text) => JSON.stringify({ ...cloudEvent('1', {}), data: text })],
  ];
  for (const [name, wrap] of wraps) {
    test(`${name} is its records, as many as a request may have`, () => {
      assert.deepEqual(
        readAgain(wrap(list(LIMITS.recordsPerRequest))).map(({ content }) => content),
        Array(LIMITS.recordsPerRequest).fill('nothing'),
      );
    });

    test(`${name} and has more is one dead letter, as it was kept`, () => {
      for (const length of [LIMITS.recordsPerRequest + 1, 2_000_000]) {
        const text = wrap(list(length));
        const content = ['undecodable', `it holds more than ${LIMITS.recordsPerRequest} records`];
        assert.deepEqual(readAgain(text), [{ content, byteLength: text.length }]);
      }
    });
  }
});
