import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AGENT_VARIABLES, CI_VARIABLES, readCaller, readerOf } from '../../../src/operations/read-caller.js';
import { errorOf } from '../error-of.js';

test.each([
  ['person', {}],
  ['person', { ABILITY_CALLER: '' }],
  ['person', { CI: 'false', CLAUDECODE: '0' }],
  ['person', { CURSOR_TRACE_ID: 'x' }],
  ['agent', { CLAUDECODE: '1' }],
  ['agent', { CLAUDECODE: '1', CI: 'true' }],
  ['ci', { CI: 'true' }],
  ['ci', { GITHUB_ACTIONS: 'true' }],
  ['ci', { ABILITY_CALLER: 'ci', CLAUDECODE: '1' }],
  ['person', { ABILITY_CALLER: 'person', CI: 'true' }],
])('the caller is %s with %j', (caller, env) => {
  expect(readCaller(env)).toBe(caller);
});

test.each(['robot', 'Agent', 'session', 'child'])('ABILITY_CALLER=%s is refused', (word) => {
  expect(errorOf(() => readCaller({ ABILITY_CALLER: word }))).toMatchObject({ code: 'usage.invalid' });
});

test('commands are shown to a user by name, and to an agent as to nobody who decides', () => {
  expect(readerOf({ ABILITY_USER: 'ada' })).toBe('ada');
  expect(readerOf({ ABILITY_USER: 'ada', CLAUDECODE: '1' })).toBeNull();
});

test('docs/hooks.md lists the variables', () => {
  const page = readFileSync('docs/hooks.md', 'utf8');
  for (const name of [...AGENT_VARIABLES, ...CI_VARIABLES]) expect(page).toContain(`\`${name}\``);
});
