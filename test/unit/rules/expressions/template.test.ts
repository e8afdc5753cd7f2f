import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { evaluateTemplate, expressionsIn } from '../../../../src/rules/expressions/template.js';
import { errorOf } from '../../error-of.js';

const fill = (template: Json, values: Record<string, Json> = {}): Json => evaluateTemplate(template, { values });

describe('filling in', () => {
  test('what is no template stays as it is', () => {
    const value = { n: 1, t: '$ {{ } ${ {', l: [null, true], m: {} };
    expect(fill(value)).toEqual(value);
  });

  test('several expressions in one text are filled in where they stand', () => {
    expect(fill('${{ a }}-${{ a + 1 }}!', { a: 1 })).toBe('1-2!');
  });

  test('blanks around the braces do not matter', () => {
    expect(fill('${{a}}', { a: 1 })).toBe(1);
    expect(fill('${{   a   }}', { a: 1 })).toBe(1);
    expect(fill('${{\n  a\n}}', { a: 1 })).toBe(1);
  });

  test.each([
    ['${{ "\\"}}" }}', '"}}'],
    ["${{ '\"}}' }}", '"}}'],
    ['${{ "\'}}" }}', "'}}"],
    ['${{ size({"a": {"b": {}}}) }}-${{ 2 }}', '1-2'],
    ['${{ {} }}', {}],
    ['${{ 1 }}}}', '1}}'],
  ])('the expressions of %s end at their own braces', (template, value) => {
    expect(fill(template)).toEqual(value);
  });

  test.each([
    ['input.?a', 'nothing'],
    ['null', 'null'],
    ['[1]', 'a list'],
    ['{"a": 1}', 'a map'],
  ])('text cannot hold %s, which gives %s', (source, what) => {
    const { code, message } = errorOf(() => fill(`x \${{ ${source} }}`, { input: {} }));
    expect(code).toBe('expression.not_text');
    expect(message).toContain(` gives ${what}, `);
  });

  test('an expression that is not closed is shown from its beginning', () => {
    const { code, message } = errorOf(() => fill(`text \${{ a + ${'b'.repeat(100)}`));
    expect(code).toBe('expression.syntax');
    expect(message).toContain(`\`\${{ a + ${'b'.repeat(55)}\``);
  });

  test('text around a lone expression makes text of it', () => {
    expect(fill(' ${{ a }}', { a: 1 })).toBe(' 1');
  });

  test('what an expression gives is not filled in again', () => {
    expect(fill('${{ a }}', { a: '${{ b }}' })).toBe('${{ b }}');
    expect(fill('x${{ a }}', { a: '${{ b }}' })).toBe('x${{ b }}');
  });

  test('keys are no templates', () => {
    expect(fill({ '${{ a }}': '${{ a }}' }, { a: 1 })).toEqual({ '${{ a }}': 1 });
  });

  test('the template itself is not changed', () => {
    const template = { a: ['${{ n }}'] };
    fill(template, { n: 1 });
    expect(template).toEqual({ a: ['${{ n }}'] });
  });
});

describe('an absent optional', () => {
  test('leaves its member out of a map', () => {
    expect(fill({ a: '${{ input.?a }}', b: 1 }, { input: {} })).toEqual({ b: 1 });
  });

  test('is null in a list, so that the others keep their places', () => {
    expect(fill(['${{ input.?a }}', 2], { input: {} })).toEqual([null, 2]);
  });

  test('alone is null', () => {
    expect(fill('${{ input.?a }}', { input: {} })).toBeNull();
  });

  test('cannot stand inside text', () => {
    expect(errorOf(() => fill('x ${{ input.?a }}', { input: {} })).code).toBe('expression.not_text');
  });
});

describe('looking for expressions', () => {
  test('they are found in the order in which they stand', () => {
    const template = { a: '${{ one }} ${{ two }}', b: ['${{ three }}', { c: 'plain' }] };
    expect(expressionsIn(template).map(({ source }) => source)).toEqual(['one', 'two', 'three']);
  });

  test('there are none in what is no text', () => {
    expect(expressionsIn({ a: null, b: 1, c: [true, 'x'], d: {} })).toEqual([]);
    expect(expressionsIn(null)).toEqual([]);
    expect(expressionsIn(undefined)).toEqual([]);
  });

  test.each(['${{ }}', '${{ a +', '${{ a + }}', '${{ "}} }}'])('%j is not valid', (template) => {
    expect(errorOf(() => expressionsIn(template)).code).toBe('expression.syntax');
  });
});
