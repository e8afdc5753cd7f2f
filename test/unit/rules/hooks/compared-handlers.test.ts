import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const SOURCES = fileURLToPath(new URL('../../../../src', import.meta.url));

/** Files that are about one kind of handler. A new kind changes none of them. */
const ABOUT_ONE_KIND: Record<string, string> = {
  'definitions/foreign-hook.ts': '`must_deny`, which is proved by calling a script',
  'doors/cli/commands/import/hooks.ts': 'scripts of other tools',
  'lint/checks/hooks.ts': 'examples that lint evaluates',
  'lint/since/compare-contracts.ts': 'conditions that were taken out',
  'planning/hooks/foreign-guards.ts': 'scripts of other tools',
  'rules/sessions/session-reads.ts': 'expressions over a session',
};

const COMPARISON =
  /\b(handler|planned)\.kind [!=]== '|'(expression|script|builtin|ability)' in (handler|old|now)\b|case '(expression|builtin|ability)':/;

test('a file compares the name of a kind of handler only if it is about that kind', () => {
  const comparing = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && COMPARISON.test(readFileSync(`${SOURCES}/${file}`, 'utf8')));
  expect(comparing.sort()).toEqual(Object.keys(ABOUT_ONE_KIND).sort());
});
