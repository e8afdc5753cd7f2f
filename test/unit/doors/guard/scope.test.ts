import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readGuardLine } from '../../../../src/doors/guard/guard-line.js';
import { guardProcess } from '../../../../src/doors/guard/run-guard.js';
import { claudeCall, guardedProject } from './guarded-project.js';

/** The module that its guard, a script, receives. */
function scoped() {
  const { project } = guardedProject({
    'ability.yaml': 'format: 1\nproject: acme\nenvironments: { dev: {} }\npolicy: { bypass: { abilities: "off" } }\n',
    'hooks/module.mjs': [
      "import { readFileSync } from 'node:fs';",
      "const { module_id } = JSON.parse(readFileSync(0, 'utf8'));",
      "console.log(JSON.stringify({ guard_decision: 'deny', reason: `module ${module_id}.` }));",
    ].join('\n'),
    'registry/hooks/PreAbilityCall.yaml':
      'hooks: [{ id: m, blocking: true, match: { abilities: ["logs.*"] }, handler: { script: { path: hooks/module.mjs } } }]\n',
  });
  const inside = join(project.root, 'modules/users');
  mkdirSync(inside, { recursive: true });
  writeFileSync(join(inside, 'ABILITY.md'), '# Users\n');
  return async (args: string[], env: NodeJS.ProcessEnv = {}, cwd = inside) => {
    const line = readGuardLine(['guard', '--for', 'claude', ...args]);
    if (!line) throw new Error('not a command line of the guard');
    const event = JSON.stringify(claudeCall('mcp__log-server__search', { text: 'a' }, cwd));
    const own = { PATH: process.env.PATH, HOME: '/home/nobody', ...env };
    return guardProcess(line, { cwd, env: own, stdin: Readable.from([event]) });
  };
}

test('the guard passes its hooks the scope of --scope, ABILITY_SCOPE or the nearest ABILITY.md, as run does', async () => {
  const ask = scoped();
  expect((await ask(['--scope', 'f'], { ABILITY_SCOPE: 'g' })).stderr).toContain('module f.');
  expect((await ask([], { ABILITY_SCOPE: 'g' })).stderr).toContain('module g.');
  expect((await ask([])).stderr).toContain('module modules/users.');
});

test('an invalid scope is refused, since a guard that cannot answer denies the call', async () => {
  const { exit, stderr } = await scoped()(['--scope', '../x']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('"../x" is no scope')]);
});
