import { expect, test } from 'vitest';
import { EXIT } from '../../../src/contracts/states.js';
import { buildProgram } from '../../../src/doors/cli/program/program.js';
import { asTyped, COMMAND_WORDS, commandOf, shellWord } from '../../../src/shown/typed-command.js';
import { NOWHERE } from '../../fixtures/silent-terminal.js';

const LOGS = 'ability task logs t-1 dump';

test('the command words are those of the program', () => {
  const names = buildProgram(NOWHERE, { exit: EXIT.ok }).commands.map((command) => command.name());
  expect([...COMMAND_WORDS]).toEqual(names.sort());
});

test.each([
  [{}, LOGS],
  [{ npm_command: 'exec', npm_config_user_agent: 'npm/10.8.2 node/v20' }, `npx ${LOGS}`],
  [{ npm_command: 'run-script' }, `npx ${LOGS}`],
  [{ npm_config_user_agent: 'pnpm/9.1.0 npm/? node/v20' }, `pnpm exec ${LOGS}`],
  [{ npm_config_user_agent: 'yarn/4.1.0 npm/? node/v20' }, `yarn ${LOGS}`],
])('a suggested command begins like the command that prints it: %j', (env, typed) => {
  expect(asTyped(LOGS, { flags: {}, env })).toBe(typed);
});

test.each([
  ['ability worker --env dev', 'node_modules/.bin/ability worker --env dev'],
  ['ability serve', 'node_modules/.bin/ability serve'],
  ['ability mcp', 'node_modules/.bin/ability mcp'],
  ['ability up', 'node_modules/.bin/ability up'],
  ['ability up --detach', 'npx ability up --detach'],
])('a service is not begun by a package manager, which may keep a signal to itself: %s', (text, typed) => {
  expect(asTyped(text, { flags: {}, env: { npm_command: 'exec' } })).toBe(typed);
  expect(asTyped(text, { flags: {} })).toBe(text);
});

test('it names the door that was given by a flag', () => {
  const flags = { door: 'https://ability.acme.test' };
  expect(asTyped(LOGS, { flags })).toBe('ability --door https://ability.acme.test task logs t-1 dump');
});

test('it names the same project and server, and the same environment if it depends on one', () => {
  const flags = { project: '../my project', address: 'host:7233', namespace: 'n', env: 'staging' };
  const here = `--project '../my project' --address host:7233 --namespace n`;
  expect(asTyped(LOGS, { flags })).toBe(`ability ${here} task logs t-1 dump`);
  expect(asTyped('See `ability lint`, then `ability why k`.', { flags })).toBe(
    `See \`ability ${here} --env staging lint\`, then \`ability ${here} why k\`.`,
  );
  expect(asTyped('ability run x --env dev --input -', { flags: { env: 'staging' } })).toBe(
    'ability run x --env dev --input -',
  );
});

test('both sides of a pipe are treated as commands', () => {
  const flags = { address: 'h:1' };
  expect(asTyped('ability task get k | ability run x --input -', { flags })).toBe(
    'ability --address h:1 task get k | ability --address h:1 run x --input -',
  );
});

test.each([['the ability hello'], ['npx ability run x'], ['/usr/bin/ability run x'], ['no-ability list']])(
  'text that is not a command, or already has its prefix, is left unchanged: %s',
  (text) => {
    expect(asTyped(text, { flags: {}, env: { npm_command: 'exec' } })).toBe(text);
  },
);

test.each([
  ['hosts/12/check', 'hosts/12/check'],
  ['deploy[3]/x', "'deploy[3]/x'"],
  ['hosts/*/check', "'hosts/*/check'"],
  ["it's", "'it'\\''s'"],
  ['a b', "'a b'"],
  ['$HOME', "'$HOME'"],
  ['~', "'~'"],
  ['', "''"],
  ['kind=a|b', "'kind=a|b'"],
])('%s is written as %s for a shell', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
  expect(commandOf('ability', word)).toBe(`ability ${quoted}`);
});
