import { describe, expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { evaluateTemplate, expressionsIn } from '../../../../src/rules/expressions/template.js';
import { errorOf } from '../../error-of.js';

const fill = (template: Json, values: Record<string, Json> = {}): Json => evaluateTemplate(template, { values });

describe('filling in', () => {
  test('a value without a template stays unchanged', () => {
    const value = { n: 1, t: '$ {{ } ${ {', l: [null, true], m: {} };
    expect(fill(value)).toEqual(value);
  });

  test('several expressions in one text are filled in where they occur', () => {
    expect(fill('${{ a }}-${{ a + 1 }}!', { a: 1 })).toBe('1-2!');
  });

  test('blanks next to the braces do not matter', () => {
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
  ])('the expressions in %s end at their own braces', (template, value) => {
    expect(fill(template)).toEqual(value);
  });

  test.each([
    ['input.?a', 'nothing'],
    ['null', 'null'],
    ['[1]', 'a list'],
    ['{"a": 1}', 'a map'],
  ])('text cannot contain %s, which evaluates to %s', (source, what) => {
    const { code, message } = errorOf(() => fill(`x \${{ ${source} }}`, { input: {} }));
    expect(code).toBe('expression.not_text');
    expect(message).toContain(` gives ${what}, `);
  });

  test('an expression that is not closed is shown from its beginning', () => {
    const { code, message } = errorOf(() => fill(`text \${{ a + ${'b'.repeat(100)}`));
    expect(code).toBe('expression.syntax');
    expect(message).toContain(`\`\${{ a + ${'b'.repeat(55)}\``);
  });

  test('text around an expression turns its value into text', () => {
    expect(fill(' ${{ a }}', { a: 1 })).toBe(' 1');
  });

  test('the value of an expression is not filled in again', () => {
    expect(fill('${{ a }}', { a: '${{ b }}' })).toBe('${{ b }}');
    expect(fill('x${{ a }}', { a: '${{ b }}' })).toBe('x${{ b }}');
  });

  test('keys are not templates', () => {
    expect(fill({ '${{ a }}': '${{ a }}' }, { a: 1 })).toEqual({ '${{ a }}': 1 });
  });

  test('the template itself is not changed', () => {
    const template = { a: ['${{ n }}'] };
    fill(template, { n: 1 });
    expect(template).toEqual({ a: ['${{ n }}'] });
  });
});

describe('an absent optional', () => {
  test('omits its member from a map', () => {
    expect(fill({ a: '${{ input.?a }}', b: 1 }, { input: {} })).toEqual({ b: 1 });
  });

  test('is null in a list, so that the other items keep their places', () => {
    expect(fill(['${{ input.?a }}', 2], { input: {} })).toEqual([null, 2]);
  });

  test('is null on its own', () => {
    expect(fill('${{ input.?a }}', { input: {} })).toBeNull();
  });

  test('cannot be part of a text', () => {
    expect(errorOf(() => fill('x ${{ input.?a }}', { input: {} })).code).toBe('expression.not_text');
  });
});

describe('finding expressions', () => {
  test('they are returned in the order in which they occur', () => {
    const template = { a: '${{ one }} ${{ two }}', b: ['${{ three }}', { c: 'plain' }] };
    expect(expressionsIn(template).map(({ source }) => source)).toEqual(['one', 'two', 'three']);
  });

  test('values without templates contain none', () => {
    expect(expressionsIn({ a: null, b: 1, c: [true, 'x'], d: {} })).toEqual([]);
    expect(expressionsIn(null)).toEqual([]);
    expect(expressionsIn(undefined)).toEqual([]);
  });

  test.each(['${{ }}', '${{ a +', '${{ a + }}', '${{ "}} }}'])('%j is not valid', (template) => {
    expect(errorOf(() => expressionsIn(template)).code).toBe('expression.syntax');
  });
});
