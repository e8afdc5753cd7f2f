import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { faultInUtf8 } from '../../../../src/text/lossless-json/decode-utf8.js';
import { markBytes, withoutMarks } from '../../../../src/text/lossless-json/marked-json.js';
import { integersOf, readInput, readJson, readUtf8 } from '../../../../src/text/lossless-json/read-json.js';
import { errorOf } from '../../error-of.js';

const reading = { code: 'script.output_invalid', what: 'It' } as const;
const refusing = { ...reading, integers: 'refuse' } as const;
const asText = { ...reading, integers: 'text' } as const;

describe('a number that a double cannot hold is refused with its place', () => {
  test.each([
    ['9007199254740992', '', '9007199254740992'],
    ['[1, -9007199254740993]', '/1', '-9007199254740993'],
    ['{"a/b": {"~": 12345678901234567890.0}}', '/a~1b/~0', '12345678901234567890.0'],
    ['{"a": 1e400}', '/a', '1e400'],
    ['{"a": -1E+400}', '/a', '-1E+400'],
    [`{"a": ${'9'.repeat(400)}}`, '/a', `${'9'.repeat(57)}...`],
  ])('%s', (text, pointer, number) => {
    const error = errorOf(() => readJson(text, refusing));
    expect(error).toMatchObject({ code: 'script.output_invalid', details: { pointer, number } });
    expect(error.message).toContain(number);
    expect(error.suggestion).toBeTruthy();
  });

  test('under its kind, and with a place only if it is inside another value', () => {
    expect(errorOf(() => readJson('[12345678901234567890]', refusing)).message).toMatch(/the integer 1.*\(at \/0\)$/);
    expect(errorOf(() => readJson('1e400', refusing)).message).toMatch(/the number 1e400(?!.*\(at)/);
  });

  test('in full up to 60 characters', () => {
    expect(errorOf(() => readJson('9'.repeat(60), refusing)).message).toContain('9'.repeat(60));
    expect(errorOf(() => readJson('9'.repeat(61), refusing)).message).toContain(`${'9'.repeat(57)}...`);
  });

  test.each([
    ['9007199254740991'],
    ['-9007199254740991'],
    ['0.1234567890123456789'],
    ['12345678901234567890.5'],
    ['1.2345678901234567e+19'],
    ['6.02214076e23'],
    ['1e308'],
    ['1e-400'],
    ['"12345678901234567890"'],
    ['{"12345678901234567890": "\\"12345678901234567890"}'],
    ['"\\\\", 1'.replace(', 1', '')],
  ])('but %s is accepted', (text) => {
    expect(readJson(text, refusing)).toEqual(JSON.parse(text));
  });
});

test('integers are returned as text exactly as written, and nothing else is', () => {
  const text =
    '{"a": [12345678901234567890, -9007199254740993, 1, "12345678901234567890"], "12345678901234567890": 2.50}';
  expect(readJson(text, asText)).toEqual({
    a: ['12345678901234567890', '-9007199254740993', 1, '12345678901234567890'],
    '12345678901234567890': 2.5,
  });
  expect(readJson('9'.repeat(400), asText)).toBe('9'.repeat(400));
  expect(errorOf(() => readJson('1e400', asText)).suggestion).toBe('Write it as text.');
});

test('large integers are refused unless the definition wants them as text', () => {
  expect([integersOf(undefined), integersOf('text')]).toEqual(['refuse', 'text']);
});

test('invalid JSON is refused, whatever numbers it has', () => {
  for (const text of ['{"a": 12345678901234567890', '[12345678901234567890 1]', '"12345678901234567890', '']) {
    expect(() => readJson(text, asText)).toThrow(SyntaxError);
  }
});

test('any JSON without such numbers is read unchanged', () => {
  fc.assert(
    fc.property(fc.json(), fc.string(), (text, around) => {
      fc.pre(!/\d{16}/.test(text));
      const whole = `[${text}, ${JSON.stringify(around)}, 12345678901234567890]`;
      expect(readJson(whole, { ...reading, integers: 'text' })).toEqual([
        ...(JSON.parse(`[${text}, ${JSON.stringify(around)}]`) as Json[]),
        '12345678901234567890',
      ]);
    }),
  );
});

test('a text of many megabytes is read in a time proportional to its length', () => {
  const text = `["${'\\"'.repeat(2_000_000)}", ${'"1234567890123456",'.repeat(100_000)} 12345678901234567890]`;
  const started = performance.now();
  expect((readJson(text, asText) as Json[]).at(-1)).toBe('12345678901234567890');
  expect(performance.now() - started).toBeLessThan(10_000);
});

test('a text that is not JSON may have any characters around its numbers', () => {
  for (const text of ['- 12345678901234567890', '12345678901234567890 -', '--12345678901234567890e']) {
    expect(() => markBytes(Buffer.from(text))).not.toThrow();
  }
});

describe('bytes that are not UTF-8', () => {
  test.each([
    [[0x61, 0xff], /byte 1 is not part of a character/],
    [[0x61, 0xc3], /byte 1 begins an incomplete character/],
  ])('%j read as text are refused with the position of the first invalid byte', (bytes, message) => {
    expect(errorOf(() => readUtf8(Buffer.from(bytes), refusing))).toMatchObject({
      code: 'script.output_invalid',
      message: expect.stringMatching(message),
      details: { byte: 1 },
    });
  });

  test.each([
    [[0x61, 0xeb, 0x22], 1, false],
    [[0x61, 0xc3], 1, true],
    [[0xff], 0, false],
    [[0xc3, 0xa4, 0xed, 0xa0, 0x80], 2, false],
    [[0xf0, 0x9f, 0x98, 0x41], 0, false],
    [[0xc0, 0x80], 0, false],
  ])('%j are reported with the position of the first invalid byte', (bytes, byte, isCutOff) => {
    expect(faultInUtf8(Buffer.from(bytes))).toEqual({ byte, isCutOff });
  });

  test('are not found in characters of any length', () => {
    expect(faultInUtf8(Buffer.from('aä€😀\u0000'))).toBeUndefined();
  });

  test('keep their place in a message', () => {
    const message = Buffer.concat([Buffer.from('{"a": {"b": "x'), Buffer.from([0xeb]), Buffer.from('y", "c": 1}}')]);
    const marked = JSON.parse(markBytes(message)) as Json;
    expect(errorOf(() => withoutMarks(marked, refusing))).toMatchObject({
      code: 'script.output_invalid',
      details: { pointer: '/a/b', byte: 1 },
    });
    expect(withoutMarks(marked, { ...reading, integers: 'round' })).toEqual({ a: { b: 'x\uFFFDy', c: 1 } });
  });

  test('are all marked, since the first ones may be in a part that is never read', () => {
    const bad = Buffer.from([0xeb, 0xff]);
    const message = Buffer.concat([Buffer.from('{"a": "'), bad, Buffer.from('", "b": "ä'), bad, Buffer.from('"}')]);
    const { b } = JSON.parse(markBytes(message)) as { b: Json };
    expect(errorOf(() => withoutMarks(b, refusing)).details).toMatchObject({ byte: 2 });
  });

  test('are refused in keys as well', () => {
    const message = Buffer.concat([Buffer.from('{"x'), Buffer.from([0xeb]), Buffer.from('": 1}')]);
    const error = errorOf(() => withoutMarks(JSON.parse(markBytes(message)) as Json, refusing));
    expect(error.message).toMatch(/not UTF-8/);
  });
});

describe('what a caller sends', () => {
  const ID = '1234567890123456789';
  const fault = (text: string | Buffer, more = {}) => errorOf(() => readInput(text, { what: 'It', ...more }));

  test.each([
    [`{"rows": [{"id": ${ID}}]}`, '/rows/0/id', ID],
    [`{"id": -${ID}.0}`, '/id', `-${ID}.0`],
    ['{"id": 1e400}', '/id', '1e400'],
    ['{"a": {"id": 1, "b": 2, "id": 1}}', '/a/id', '"id" twice'],
    ['[{"a~/": 1, "\\u0061~\\u002f": 2}]', '/0/a~0~1', 'twice'],
    ['{"__proto__": 1, "__proto__": 2}', '/__proto__', 'twice'],
  ])('is refused with its place: %s', (text, pointer, words) => {
    const error = fault(text);
    expect(error).toMatchObject({ code: 'input.invalid', details: { pointer } });
    expect(error.message).toContain(words);
    expect(error.suggestion).not.toContain('implementation');
  });

  test('is refused if it is no JSON in UTF-8, without a quote of it', () => {
    expect(fault('{"token": geheim}')).toMatchObject({ message: expect.not.stringContaining('geheim') });
    expect(fault(Buffer.from([0x22, 0xff, 0x22]))).toMatchObject({ details: { byte: 1 } });
    expect(fault('{', { broken: 'door.bad_request' }).code).toBe('door.bad_request');
    expect(fault(Buffer.from([0xff]), { broken: 'door.bad_request' }).code).toBe('door.bad_request');
  });

  test('is read as JSON.parse reads it otherwise, after a byte order mark', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!/\d{16}/.test(text));
        expect(readInput(`\uFEFF${text}`, { what: 'It' })).toEqual(JSON.parse(text));
      }),
    );
  });

  test('has large integers as text where the sender has no choice', () => {
    expect(readInput(`{"id": ${ID}}`, { what: 'It', integers: 'text' })).toEqual({ id: ID });
  });
});

test('an object of more than 50,000 members is refused quickly, and a list of any length is read', () => {
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');
  const started = performance.now();
  expect(errorOf(() => readInput(`{"a":[{${members(200_000)}}]}`, { what: 'It' }))).toMatchObject({
    code: 'input.invalid',
    message: expect.stringMatching(/more than 50000 members \(at \/a\/0\/k50000\)/),
  });
  expect(performance.now() - started).toBeLessThan(1000);
  expect(Object.keys(readInput(`{${members(50_000)}}`, { what: 'It' }) as object)).toHaveLength(50_000);
  expect(readInput(`[${'1,'.repeat(200_000)}1]`, { what: 'It' })).toHaveLength(200_001);
});
