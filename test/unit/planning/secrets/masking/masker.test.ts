import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Masker } from '../../../../../src/planning/secrets/masking/masker.js';
import { base64, FORMS, leaks } from '../../../../fixtures/secret-forms.js';

/** Secrets with every character that is escaped somewhere. */
const SECRETS = [
  'k3y "with/all\\that%41is=escaped & ünusual ones+',
  'hunter2-hunter2',
  'p@ss w"rd/with\\back%41slash&more=+',
  'geheim-übung-€-😀-ende',
  `correct'horse battery&staple9<"'`,
  randomBytes(32).toString('base64'),
  randomBytes(20).toString('hex'),
  `-----BEGIN KEY-----\n${randomBytes(60)
    .toString('base64')
    .match(/.{1,40}/g)
    ?.join('\n')}\n-----END KEY-----`,
];

describe.each(Object.entries(FORMS))('a secret %s', (_, form) => {
  test.each(SECRETS)('%j is masked, and the text around it stays', (secret) => {
    const masked = new Masker([secret]).mask(`before ${form(secret)} after`);
    expect(masked).toMatch(/^before .*\*\*\*.* after$/s);
    expect(leaks(masked, secret)).toBe(false);
    expect(masked.length).toBeLessThan(form(secret).length + 30);
  });
});

describe('the parts of a secret that is a document', () => {
  const key = {
    type: 'service_account',
    user: 'admin',
    password: 'Pa55w0',
    private_key: 'BEGIN\nMIIabc123def456\nEND\n',
    ids: ['zzTop99Qrs55'],
  };
  const parts = ['Pa55w0', 'MIIabc123def456', 'zzTop99Qrs55', 'service_account'];

  test.each([
    ['JSON', JSON.stringify(key)],
    ['indented JSON', JSON.stringify(key, null, 2)],
    ['JSON in base64', base64(JSON.stringify(key))],
  ])('in %s are masked, decoded, but for short words', (_, secret) => {
    const masker = new Masker([secret]);
    const shown = `${parts.join(' | ')} | ${key.private_key} | ${encodeURIComponent(key.private_key)} | ${JSON.stringify(key, null, 2)}`;
    const masked = masker.mask(shown);
    for (const part of parts) expect(masked).not.toContain(part);
    expect(masker.mask('the admin of the account')).toBe('the admin of the account');
  });

  test('and the password of a URL', () => {
    const masker = new Masker(['postgres://bob:p%40ss-w0rd@db.test/x?sslmode=on']);
    expect(masker.mask('psql -h db.test -U bob p@ss-w0rd; p%40ss-w0rd')).toBe('psql -h db.test -U bob ***; ***');
  });
});

describe('a text', () => {
  test('keeps its line breaks, whatever is masked in it', () => {
    const masker = new Masker(['first-second-third']);
    expect(masker.mask('a first-\n second\r\n-third b\nc')).toBe('a ***\n***\r\n*** b\nc');
  });

  test('without a secret is returned unchanged', () => {
    const masker = new Masker(SECRETS);
    const text = 'Nothing \\u0041 %41 \\" here,\n\n  {"a": "b\\n"} é 😀 \\ud800 \\x4 % %g %4 \\';
    expect(masker.mask(text)).toBe(text);
    expect(new Masker().mask('hunter2')).toBe('hunter2');
  });

  test('with two secrets is masked even if one begins with the other, or if they overlap', () => {
    expect(new Masker(['admin', 'admin-and-more']).mask('admin admin-and-more')).toBe('*** ***');
    expect(new Masker(['abcdef', 'defghi']).mask('x abcdefghi y')).toBe('x *** y');
  });

  test('with a secret of fewer than four characters is unchanged; one of four to seven is masked only if it is in one piece', () => {
    expect(new Masker(['abc']).mask('abc YWJj')).toBe('abc YWJj');
    expect(new Masker(['abcd']).mask('abcd ab\ncd')).toBe('*** ab\ncd');
  });
});

describe('a value', () => {
  test('is masked in its names as well, and loses none of them', () => {
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

test('1 MiB with ten secrets takes a fraction of a second', () => {
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
    expect(fastest).toBeLessThan(1000);
  }
});
