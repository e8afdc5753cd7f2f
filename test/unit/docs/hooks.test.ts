import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findingsOf } from '../lint/lint-case.js';

const page = readFileSync(join(import.meta.dirname, '../../../docs/hooks.md'), 'utf8');
const [, freeze = ''] = /<!-- freeze -->\n```yaml\n([\s\S]*?)```/.exec(page) ?? [];

const found = (yaml: string) =>
  findingsOf({ files: { 'registry/hooks/PreAbilityCall.yaml': yaml } }).map(({ code, message, location }) => ({
    code,
    message,
    line: location.line,
  }));

test('the freeze window of docs/hooks.md decides its examples as stated', () => {
  expect(freeze).toContain('deny_if');
  expect(found(freeze)).toEqual([]);
});

test('an example that contradicts the hook is reported, with its location', () => {
  const line = freeze.split('\n').findIndex((text) => text.includes('2027-01-04T07:00:00Z')) + 1;
  expect(found(freeze.replace('decision: allow', 'decision: deny'))).toEqual([
    { code: 'lint.hook_example', message: 'The hook freeze answers allow, where its example has deny', line },
  ]);
});

test('the working hours of the example follow daylight saving time', () => {
  const winter = freeze.replace('2026-12-01T07:00:00Z', '2026-12-01T08:00:00Z');
  expect(found(winter)).toEqual([expect.objectContaining({ code: 'lint.hook_example' })]);
});

test('uuid() in a hook is refused, and the fix names what is available', () => {
  const yaml =
    'hooks:\n  - { id: chance, match: {}, blocking: true, handler: { expression: { deny_if: "uuid() == \'x\'", reason: no } } }\n';
  const finding = findingsOf({ files: { 'registry/hooks/PreAbilityCall.yaml': yaml } }).find(
    ({ code }) => code === 'expression.syntax',
  );
  expect(finding?.message).toContain('`uuid()` is not available in a hook');
  expect(finding?.fix).toContain('now()');
});
