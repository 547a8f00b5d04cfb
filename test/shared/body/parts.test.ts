import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type Part, partOf, splitBody } from '../../../shared/body/parts.ts';
import type { JsonValue } from '../../../shared/change/json.ts';
import { UnprocessableError } from '../../../shared/ingest/reasons.ts';

const OPTIONS = { nestingLevels: 100 };

/** Each part as its value, or as `bad: <bytes>`. */
function split(body: string | Uint8Array, options = OPTIONS): unknown[] {
  return [...splitBody(Buffer.from(body), options)].map(({ content, bytes }) =>
    content instanceof UnprocessableError ? `bad: ${Buffer.from(bytes).toString()}` : content,
  );
}

describe('a body is cut into its records', () => {
  const a = { a: 1, text: 'x, ] } " \\ é €' };
  const b = { b: [1, { c: null }] };
  const [A, B] = [JSON.stringify(a), JSON.stringify(b)];
  const framings: readonly [string, string][] = [
    ['an array', `[${A},${B}]`],
    ['an array with white space', ` [\r\n ${A} ,\n ${B} \n] \n`],
    ['lines', `${A}\n${B}\n`],
    ['objects without anything between them', `${A}${B}`],
    ['objects joined by commas', `${A},${B}`],
    ['arrays that follow each other', `[${A}]\n[${B}]`],
    ['a Kafka REST envelope', `{"records":[${A},${B}]}`],
    [
      'an envelope with other members',
      `{"value_schema_id": 7, "records" : [ ${A}, ${B} ], "key_schema": {"records": []}}`,
    ],
    ['a JSON text sequence', `\u001e${A}\n\u001e${B}\n`],
    ['an indented array', JSON.stringify([a, b], null, 2)],
  ];
  for (const [name, body] of framings) {
    test(`from ${name}`, () => assert.deepEqual(split(body), [a, b]));
    test(`from ${name} after a byte order mark`, () => assert.deepEqual(split(`\ufeff${body}`), [a, b]));
  }

  test('from one object, from none, and from a lone literal', () => {
    assert.deepEqual(split(A), [a]);
    assert.deepEqual(split(''), []);
    assert.deepEqual(split(' \n'), []);
    assert.deepEqual(split('[]'), []);
    assert.deepEqual(split('null\n12'), [null, 12]);
  });

  test('with the exact bytes of each', () => {
    const bytes = [...splitBody(Buffer.from(`[ {"a": 1.0} ,{"b":2}]`), OPTIONS)].map((part) =>
      Buffer.from(part.bytes).toString(),
    );
    assert.deepEqual(bytes, ['{"a": 1.0}', '{"b":2}']);
  });

  test('whatever they hold and however they are joined', () => {
    const records = fc.array(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), { minLength: 1 });
    const joiner = fc.constantFrom('\n', '', ',', '\r\n', ' ');
    fc.assert(
      fc.property(records, joiner, fc.boolean(), fc.boolean(), (values, join, indented, isArray) => {
        const texts = values.map((value) => JSON.stringify(value, null, indented ? 1 : 0));
        const body = isArray ? `[${texts.join(',')}]` : texts.join(join);
        // `records` is the one name that makes an envelope of an object.
        fc.pre(!body.includes('"records"'));
        assert.deepEqual(split(body), JSON.parse(`[${texts.join(',')}]`));
      }),
    );
  });
});

describe('an object with a list called records', () => {
  const lone: readonly [string, string][] = [
    ['before the list', '{"table":"T","records":[{"a":1}]}'],
    ['after the list', '{"records":[{"a":1}],"table":"T"}'],
    ['after an empty list', '{"records":[], "table":"T"}'],
    ['on both sides of it', '{"table":"T","records":[{"a":1},{"b":"]"}],"op":{"records":[]}}'],
    ['of the same name', '{"records":[{"a":1}],"records":[{"b":2}]}'],
  ];
  for (const [where, body] of lone) {
    test(`is a part of its own when it has a foreign member ${where}`, () => {
      assert.deepEqual(split(body), [JSON.parse(body)]);
      assert.deepEqual(split(`${body}\n{"records":[${body}],"timestamp":1}${body}`), Array(3).fill(JSON.parse(body)));
    });
  }

  test('is no envelope when it is read again', () => {
    for (const kept of ['{"records":[{"a":1}]}', '[{"a":1},{"a":2}]', '{"n":12345678901234567890.5}', '7', 'null']) {
      const { content, bytes } = partOf(Buffer.from(kept), OPTIONS);
      assert.deepEqual([content, Buffer.from(bytes).toString()], [split(`[${kept}]`)[0], kept]);
    }
    for (const kept of ['{"a":1}{"b":2}', '{"a":1}\n', '{"a":', '{"a":1}]', 'x{"a":1}', '']) {
      const { content, bytes } = partOf(Buffer.from(kept), OPTIONS);
      assert.ok(content instanceof UnprocessableError && content.reason === 'undecodable', kept);
      assert.equal(Buffer.from(bytes).toString(), kept);
    }
  });

  test('says so when what follows its list cannot be read', () => {
    assert.deepEqual(split('{"records":[{"a":1}],"x":01}{"b":2}'), [{ a: 1 }, 'bad: ,"x":01}', { b: 2 }]);
    assert.deepEqual(split('{"records":[],"table":"T'), ['bad: ,"table":"T']);
    assert.deepEqual(split('{"records":[{"a":1}],"x":"\n{"b":2}'), [{ a: 1 }, 'bad: ,"x":"', { b: 2 }]);
  });
});

describe('numbers in a record', () => {
  const cases: readonly [string, JsonValue][] = [
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
    ['-12345678901234567890.5', '-12345678901234567890.5'],
    ['17520.00', 17520],
    ['125.50', 125.5],
    ['1e3', 1000],
    ['1e400', '1e400'],
    ['0.1000000000000000055511151231257827', '0.1000000000000000055511151231257827'],
    ['9007199254740993', '9007199254740993'],
    ['9007199254740992', 9007199254740992],
    ['123456789012345678E+3', '123456789012345678E+3'],
    ['1000000000000000000000', 1e21],
  ];
  for (const [sent, expected] of cases) {
    test(`${sent} keep their value`, () => {
      assert.deepEqual(split(`[{"n":${sent},"l":[ ${sent} ,1]}]`), [{ n: expected, l: [expected, 1] }]);
    });
  }

  test('stay as they are inside texts', () => {
    assert.deepEqual(split('{"pos":"00002564940142073691.12345678901234567890"}'), [
      { pos: '00002564940142073691.12345678901234567890' },
    ]);
  });

  test('that JSON does not know make the record unreadable, however long', () => {
    for (const bad of ['012345678901234567890', '1234567890123456789.', '+1', 'NaN', '-Infinity', '.5']) {
      assert.deepEqual(split(`[{"n":${bad}},{"a":1}]`), [`bad: {"n":${bad}}`, { a: 1 }]);
    }
    assert.deepEqual(split('{12345678901234567890:1}'), ['bad: {12345678901234567890:1}']);
  });

  test('reach a parser of the source with all their digits', () => {
    const parse = (text: string): JsonValue => `parsed ${text}`;
    const [part] = splitBody(Buffer.from('{"n":12345678901234567890.50,"c":"\u0001"}'), { nestingLevels: 9, parse });
    assert.equal(part?.content, 'parsed {"n":12345678901234567890.50,"c":"\\u0001"}');
  });
});

describe('a record that cannot be read', () => {
  test('harms none that stand before or after it', () => {
    assert.deepEqual(split('[{"a":1},{"b":},{"c":3}]'), [{ a: 1 }, 'bad: {"b":}', { c: 3 }]);
    assert.deepEqual(split('{"a":1}\n{"b":1,}\n{"c":3}'), [{ a: 1 }, 'bad: {"b":1,}', { c: 3 }]);
    assert.deepEqual(split('{"a":1}\nhello\n{"c":3}'), [{ a: 1 }, 'bad: hello', { c: 3 }]);
  });

  test('for a missing quotation mark or bracket ends where the next line starts an object', () => {
    assert.deepEqual(split('{"a":1}\n{"b":"x}\n{"c":"3"}\n{"d":4}'), [{ a: 1 }, 'bad: {"b":"x}', { c: '3' }, { d: 4 }]);
    assert.deepEqual(split('{"a":1}\n{"b":{"x":1}\n{"c":3}'), [{ a: 1 }, 'bad: {"b":{"x":1}', { c: 3 }]);
    assert.deepEqual(split('[{"a":1},\n{"b":"x},\n{"c":"3"}]'), [{ a: 1 }, 'bad: {"b":"x},', { c: '3' }]);
  });

  const kinds: readonly [string, (at: number) => string][] = [
    ['brace', (at) => `{"a":{"b":${at}}`],
    ['bracket', (at) => `{"a":[${at}}`],
    ['bracket but has a brace', (at) => `{"a":[${at}}}`],
    ['quotation mark', (at) => `{"a":{"b":"x${at}}}`],
  ];
  const places: readonly [string, readonly number[]][] = [
    ['the first line', [0]],
    ['a line between others', [70]],
    ['the last line', [199]],
    ['many lines', Array.from({ length: 60 }, (_, at) => 3 * at + 1)],
  ];
  for (const [what, badLine] of kinds) {
    for (const [where, bad] of places) {
      test(`for ${where} of many that lacks a ${what} leaves all the others`, () => {
        const lines = Array.from({ length: 200 }, (_, at) => (bad.includes(at) ? badLine(at) : `{"a":{"b":${at}}}`));
        const expected = lines.flatMap((_, at) => (bad.includes(at) ? [] : [{ a: { b: at } }]));
        const ofList = { open: '[', join: ',', close: '\n]' };
        const ofEnvelope = { open: '{"records":[', join: ',', close: '\n]}' };
        for (const { open, join, close } of [ofList, ofEnvelope, { open: '', join: '', close: '\n' }]) {
          const parts = split(`${open}\n${lines.join(`${join}\n`)}${close}`);
          assert.deepEqual(
            parts.filter((each) => typeof each === 'object'),
            expected,
          );
          // A line that lacks a quotation mark may keep the list's end for itself.
          const extra = parts.length - 200;
          assert.ok(extra === 0 || (extra === 1 && what === 'quotation mark'), `${extra} more parts`);
        }
      });
    }
  }

  test('for a missing brace in a list without lines leaves what stands before it and the end of the list', () => {
    assert.deepEqual(split('[{"a":1},{"b":{"c":2},{"d":3}]{"e":4}'), [{ a: 1 }, 'bad: {"b":{"c":2},{"d":3}', { e: 4 }]);
  });

  test('for all the values in it leaves its neighbours', () => {
    const heavy = `{"a":[${'{},'.repeat(3_000_000)}{}]}`;
    assert.deepEqual(
      [...splitBody(Buffer.from(`[{"a":1},${heavy},{"b":2}]`), OPTIONS)].map(({ content, byteLength }) =>
        content instanceof UnprocessableError ? [content.reason, byteLength] : content,
      ),
      [{ a: 1 }, ['undecodable', heavy.length], { b: 2 }],
    );
  });

  test('because the body ends is reported once, after what is whole', () => {
    assert.deepEqual(split('[{"a":1},{"b":"x'), [{ a: 1 }, 'bad: {"b":"x']);
    assert.deepEqual(split('[{"a":1},{"b":2}'), [{ a: 1 }, { b: 2 }, 'bad: ']);
    assert.deepEqual(split('{"records":[{"a":1},'), [{ a: 1 }, 'bad: ']);
  });

  test('for its nesting ends where its brackets do', () => {
    const deep = `${'[1,'.repeat(200)}2${']'.repeat(200)}`;
    assert.deepEqual(split(`[{"a":${deep}},{"b":1}]`), [`bad: {"a":${deep}}`, { b: 1 }]);
  });

  test('for bytes that are no UTF-8 leaves its neighbours', () => {
    const body = Buffer.concat([Buffer.from('[{"a":"'), Buffer.from([0xff]), Buffer.from('"},{"b":"é"}]')]);
    assert.deepEqual(split(body), ['bad: {"a":"\ufffd"}', { b: 'é' }]);
  });

  test('says where it stands and quotes nothing', () => {
    const [, part] = splitBody(Buffer.from('[{"a":1},{"secret":}]'), OPTIONS);
    assert.ok(part?.content instanceof UnprocessableError);
    assert.deepEqual(
      [part.content.reason, part.content.message],
      ['undecodable', 'bytes 9 to 20 of the body: it is not JSON'],
    );
  });

  test('is called bad in what it is called to be part of', () => {
    const detailOf = (part: Part | undefined) =>
      part?.content instanceof UnprocessableError ? part.content.message : undefined;
    const texts = ['{"a":}', '{"a":', '[1', '{"a":1]\n{}', 'x'];
    for (const text of texts) {
      const named = [...splitBody(Buffer.from(text), { ...OPTIONS, name: 'the text' })].map(detailOf);
      const unnamed = [...splitBody(Buffer.from(text), OPTIONS)].map(detailOf);
      assert.deepEqual(
        named,
        unnamed.map((detail) => detail?.replaceAll('the body', 'the text')),
      );
      assert.ok(
        named.some((detail) => /^bytes \d+ to \d+ of the text: /.test(detail ?? '')),
        text,
      );
    }
    assert.equal(detailOf(partOf(Buffer.from('{"a":}'), OPTIONS)), 'bytes 0 to 6 of the record: it is not JSON');
  });
});

describe('records of one list, which are read several at a time,', () => {
  const sane = fc
    .dictionary(fc.string({ unit: 'binary' }), fc.jsonValue({ maxDepth: 3 }))
    .map((each) => JSON.stringify(each));
  const odd = fc.constantFrom(
    '{"n":12345678901234567890.50}',
    '{"n":-1e400,"t":"é"}',
    '{"t":"a\u0001b"}',
    '{"t":"12345678901234567890"}',
    '{"deep":[[[[[[1]]]]]]}',
    '{ "a" : {} }',
    '{}',
  );
  const bad = fc.constantFrom(
    '{"a":}',
    '{"a":1}{"b":2}',
    '{"a":1,}',
    '{"a":01}',
    '{"a" 1}',
    '{"a":[[[[[[[[1]]]]]]]]}',
    '{12345678901234567890:1}',
    '{"a":"\\x"}',
    '{"a":NaN}',
  );
  const other = fc.constantFrom('7', '[1,{"a":2}]', '"text, } ]"', 'null', '12345678901234567890', 'nonsense');
  const text = fc.oneof({ weight: 6, arbitrary: sane }, { weight: 2, arbitrary: odd }, bad, other);
  const options = { nestingLevels: 8 };

  const read = (body: string) =>
    [...splitBody(Buffer.from(body), options)].map(({ content, bytes, byteLength }) => ({
      content: content instanceof UnprocessableError ? content.message.replace(/\d+ to \d+/, '') : content,
      text: Buffer.from(bytes).toString(),
      byteLength,
    }));

  test('are the same as each of them alone', () => {
    const joiner = fc.constantFrom(',', ' , ', ',\n');
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 100 }), joiner, (texts, join) => {
        fc.pre(!texts.some((each) => each.includes('"records"')));
        const alone = texts.flatMap((each) => read(`[${each}]`));
        assert.deepEqual(read(`[${texts.join(join)}]`), alone);
        assert.deepEqual(read(`{"records":[${texts.join(join)}]}`), alone);
      }),
    );
  });

  test('are the same with bytes among them that are no UTF-8', () => {
    const broken = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}')]);
    const whole = Array.from({ length: 100 }, (_, at) => Buffer.from(`{"a":${at},"t":"é"}`));
    const body = Buffer.concat(
      [...whole, broken, ...whole].flatMap((each, at) => [Buffer.from(at === 0 ? '[' : ','), each]),
    );
    const records = whole.map((_, at) => ({ a: at, t: 'é' }));
    const cutOff = 'bad: ';
    assert.deepEqual(split(body), [...records, 'bad: {"a":"\ufffd"}', ...records, cutOff]);
  });
});

describe('texts', () => {
  test('keep NUL and other control characters, raw and escaped', () => {
    assert.deepEqual(split('{"a":"x\u0000y\u001f\tz","b":"x\\u0000y"}'), [{ a: 'x\u0000y\u001f\tz', b: 'x\u0000y' }]);
  });

  test('may hold line breaks', () => {
    assert.deepEqual(split('{"a":"x\ny"}\n{"b":1}'), [{ a: 'x\ny' }, { b: 1 }]);
  });

  test('and names such as __proto__ are nothing special', () => {
    const [part] = split('{"__proto__":{"x":1},"constructor":2}') as [object];
    assert.deepEqual(Object.keys(part), ['__proto__', 'constructor']);
    assert.equal(Object.getPrototypeOf(part), Object.prototype);
  });
});

describe('a hostile body', () => {
  const MEGABYTE = 1_000_000;
  const bodies: readonly [string, string][] = [
    ['brackets that open for ever', '['.repeat(MEGABYTE)],
    ['objects that open for ever', '{"a":'.repeat(MEGABYTE / 5)],
    ['quotation marks without partners on every line', '{"a":"b\n'.repeat(MEGABYTE / 8)],
    ['objects that a bracket ends, on every line', `[${'{"a":{"b":1},\n'.repeat(MEGABYTE / 14)}]`],
    ['envelopes that open for ever', '{"records":['.repeat(MEGABYTE / 12)],
    ['envelopes with what cannot be read', '{"records":[],"x":"\n'.repeat(MEGABYTE / 19)],
    ['objects without ends on every line', '{"a":1\n'.repeat(MEGABYTE / 7)],
    ['escaped quotation marks only', `"${'\\"'.repeat(MEGABYTE / 2)}`],
    ['control characters only', `{"a":"${'\u0001'.repeat(MEGABYTE)}"}`],
    ['digits only', `[${'1'.repeat(MEGABYTE)}]`],
  ];
  for (const [name, body] of bodies) {
    test(`of ${name} is read within a second of work`, () => {
      const start = process.threadCpuUsage();
      split(body);
      const { user, system } = process.threadCpuUsage(start);
      assert.ok(user + system < 1_000_000, `${user + system} microseconds`);
    });
  }

  test('of any punctuation never makes the splitter throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\\n1a ') }), (body) => {
        const bytes = split(body).length;
        assert.ok(bytes >= 0);
      }),
      { numRuns: 2_000 },
    );
  });
});
