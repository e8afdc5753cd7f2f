import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ProvenGuards } from '../../../../src/activities/hooks/claude-code/proven-guards.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { foreignGuards } from '../../../../src/planning/hooks/foreign-guards.js';
import { hookDependenciesOf } from '../../../../src/worker/prove-guards.js';
import { makeProject, operation, projectFile } from '../../../fixtures/project-folder.js';

const OFFENCES = ['rm -rf /', 'rm -rf ~', 'rm -rf .'];
const calls = OFFENCES.map((command) => `{ ability: ops.run, input: { command: ${command} } }`);
const project = makeProject({
  'ability.yaml': projectFile(),
  ...operation('ops.run', 'return input;', { effects: 'write_idempotent' }),
  'guards/hangs.cjs': `
require('node:fs').appendFileSync(process.env.CLAUDE_PROJECT_DIR + '/calls.txt', 'called\\n');
setInterval(() => {}, 1000);`,
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - id: hangs
    match: { abilities: [ops.run] }
    blocking: true
    handler: { script: { path: guards/hangs.cjs, timeout_sec: 1 }, format: claude-code }
    as: [{ match: { abilities: [ops.run] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }]
    must_deny: [${calls.join(', ')}]
`,
});
afterAll(() => project.remove());

test('R-002-23: a guard that hangs uses up its time-out only once, however many calls it must deny', async () => {
  const { groups, ...dependencies } = hookDependenciesOf(project.root, process.env);
  try {
    const [guard] = foreignGuards(loadRegistry(project.root), 'dev').guards;
    if (!guard) throw new Error('there is no guard');
    const proven = new ProvenGuards({ ...dependencies, groups });
    const { signal } = new AbortController();
    expect(await proven.faultOf('hangs', guard.handler, { name: 'dev', protected: false, vars: {} }, signal)).toMatch(
      /it took longer than 1000 ms/,
    );
    expect(readFileSync(join(project.root, 'calls.txt'), 'utf8')).toBe('called\n');
  } finally {
    groups.close();
  }
});
