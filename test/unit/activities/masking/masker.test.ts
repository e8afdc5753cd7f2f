import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Masker } from '../../../../src/activities/masking/masker.js';

/** With all that is escaped somewhere. */
const SECRETS = [
  'hunter2-hunter2',
  'p@ss w"rd/with\\back%41slash&more=+',
  'geheim-übung-€-😀-ende',
  randomBytes(32).toString('base64'),
  randomBytes(20).toString('hex'),
  `-----BEGIN KEY-----\n${randomBytes(60)
    .toString('base64')
    .match(/.{1,40}/g)
    ?.join('\n')}\n-----END KEY-----`,
];

const bytes = (text: string): string => `${[...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('')}`;
const units = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`).join('');
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1);
const wrapped = (text: string, columns: number, border = '\n'): string =>
  text.match(new RegExp(`.{1,${columns}}`, 'gs'))?.join(border) ?? '';
const base64 = (text: string, before = '', after = ''): string => Buffer.from(before + text + after).toString('base64');

/** Each form of the requirement, and those that programs of every day make of a secret. */
const FORMS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'base64 at the first place': (secret) => base64(secret),
  'base64 at the second place': (secret) => base64(secret, 'x'),
  'base64 at the third place': (secret) => base64(secret, 'xy'),
  'base64 in a longer text': (secret) => base64(secret, 'user:', ' and what follows'),
  'base64 for addresses': (secret) => Buffer.from(`?>${secret}`).toString('base64url'),
  'base64 in lines of 76': (secret) => wrapped(base64(secret, 'x'.repeat(70)), 76),
  'base64 in lines of 64, indented': (secret) => wrapped(base64(secret, 'x'.repeat(46)), 64, '\r\n    '),
  'base64 in an address': (secret) => encodeURIComponent(base64(secret)),
  'base64 in JSON, in lines': (secret) => inJson(wrapped(base64(secret), 10)),
  hexadecimal: (secret) => Buffer.from(secret).toString('hex'),
  'hexadecimal in capitals, in lines': (secret) => wrapped(Buffer.from(secret).toString('hex').toUpperCase(), 13),
  'in an address': encodeURIComponent,
  'in an address, in small letters': (secret) =>
    encodeURIComponent(secret).replaceAll(/%../g, (all) => all.toLowerCase()),
  'in an address, every byte': bytes,
  'in a form': (secret) => new URLSearchParams([['', secret]]).toString().slice(1),
  'in an address, twice': (secret) => encodeURIComponent(encodeURIComponent(secret)),
  'in JSON': inJson,
  'in JSON, every unit': units,
  'in JSON, every unit in capitals': (secret) => units(secret).toUpperCase().replaceAll('\\U', '\\u'),
  'in JSON in JSON': (secret) => inJson(inJson(secret)),
  'in JSON with escaped slashes': (secret) => inJson(secret).replaceAll('/', '\\/'),
  'in JSON in an address': (secret) => encodeURIComponent(JSON.stringify({ secret })),
  'in lines': (secret) => wrapped(secret, 7),
  'in indented lines of Windows': (secret) => wrapped(secret, 5, ' \r\n\t'),
  'in lines that were broken at blanks': (secret) => secret.replaceAll(' ', '\n'),
  'after a backslash': (secret) => `C:\\${secret}`,
  'after a per cent': (secret) => `100%${secret}`,
};

/** What is left of a secret: a part of eight bytes in one of its forms, read as leniently as a thief would. */
function leaks(text: string, secret: string): boolean {
  const flat = text.replaceAll(/[\s\\%]/g, '');
  const parts = [
    secret,
    Buffer.from(secret).toString('hex'),
    base64(secret),
    base64(secret, 'x'),
    base64(secret, 'xy'),
  ];
  return parts.some((part) => {
    for (let at = 4; at + 12 <= part.length - 4; at += 1) if (flat.includes(part.slice(at, at + 12))) return true;
    return false;
  });
}

describe.each(Object.entries(FORMS))('a secret %s', (_, form) => {
  test.each(SECRETS)('%j is masked, and what stands around it stays', (secret) => {
    const masked = new Masker([secret]).mask(`before ${form(secret)} after`);
    expect(masked).toMatch(/^before .*\*\*\*.* after$/s);
    expect(leaks(masked, secret)).toBe(false);
    expect(masked.length).toBeLessThan(form(secret).length + 30);
  });
});

describe('a text', () => {
  test('keeps its line breaks, whatever is masked in it', () => {
    const masker = new Masker(['first-second-third']);
    expect(masker.mask('a first-\n second\r\n-third b\nc')).toBe('a ***\n***\r\n*** b\nc');
  });

  test('without a secret is given as it is', () => {
    const masker = new Masker(SECRETS);
    const text = 'Nothing \\u0041 %41 \\" here,\n\n  {"a": "b\\n"} é 😀 \\ud800 \\x4 % %g %4 \\';
    expect(masker.mask(text)).toBe(text);
    expect(new Masker().mask('hunter2')).toBe('hunter2');
  });

  test('with two secrets of which one begins with the other, or in which they touch', () => {
    expect(new Masker(['admin', 'admin-and-more']).mask('admin admin-and-more')).toBe('*** ***');
    expect(new Masker(['abcdef', 'defghi']).mask('x abcdefghi y')).toBe('x *** y');
  });

  test('with a secret of fewer than four characters is not touched; one of four to seven only where it is whole', () => {
    expect(new Masker(['abc']).mask('abc YWJj')).toBe('abc YWJj');
    expect(new Masker(['abcd']).mask('abcd ab\ncd')).toBe('*** ab\ncd');
  });
});

describe('a value', () => {
  test('is masked in its names, too, and loses none of them', () => {
    const masker = new Masker(['hunter2']);
    expect(masker.maskDeep({ hunter2: ['hunter2', 1, null], 'a hunter2': true, 'a hunter2 2': false })).toEqual({
      '***': ['***', 1, null],
      'a ***': true,
      'a *** 2': false,
    });
    expect(masker.maskDeep({ hunter2: 1, 'aHVudGVyMg==': 2 })).toEqual({ '***': 1, '*** 2': 2 });
  });
});

describe('the start of a secret at the end of a text', () => {
  const masker = new Masker(['first-half-second-half']);
  test.each([
    ['a first-half', 2],
    ['a first-', 2],
    [`a ${base64('first-half-second-half').slice(0, 9)}`, 2],
    ['a first\\u002dhalf', 2],
    ['a fir', undefined],
    ['a first-half b', undefined],
    ['', undefined],
  ])('%j', (text, place) => {
    expect(masker.openAt(text)).toBe(place);
  });
});

test('1 MiB with ten secrets costs a fraction of a second', () => {
  const masker = new Masker(Array.from({ length: 10 }, () => randomBytes(24).toString('base64')));
  const texts = [randomBytes(786432).toString('base64'), `${'\\u0041%41 \\" \n'.repeat(70_000)}`];
  for (const text of texts) {
    masker.mask(text);
    const fastest = Math.min(
      ...Array.from({ length: 5 }, () => {
        const started = performance.now();
        masker.mask(text);
        return performance.now() - started;
      }),
    );
    expect(fastest).toBeLessThan(250);
  }
});
