import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkMustDeny } from '../../../../src/activities/hooks/claude-code/proven-guards.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { hookEnvironment } from '../../../../src/planning/hooks/example-event.js';
import { foreignGuards } from '../../../../src/planning/hooks/foreign-guards.js';
import { hookDependenciesOf } from '../../../../src/worker/prove-guards.js';
import { makeProject, operation, projectFile } from '../../../fixtures/project-folder.js';

const project = makeProject({
  'ability.yaml': projectFile('{ dev: { vars: { team: a } } }'),
  ...operation('ops.other', 'return input;', { effects: 'write_idempotent' }),
  ...operation('ops.run', 'return input;', { effects: 'write_idempotent' }),
  'guards/notes.cjs': `
const { appendFileSync, readFileSync } = require('node:fs');
const { session_id, tool_use_id } = JSON.parse(readFileSync(0, 'utf8'));
const line = JSON.stringify({ session_id, tool_use_id, argument: process.argv[2], seen: process.argv[3] });
appendFileSync(process.env.CLAUDE_PROJECT_DIR + '/received.txt', line + '\\n');
process.exitCode = 2;`,
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - id: notes
    match: { abilities: [ops.run, ops.other] }
    blocking: true
    handler: { script: { path: guards/notes.cjs, args: ["\${{ task.key }}", "\${{ input.command }} in \${{ environment.vars.team }}"] }, format: claude-code }
    as:
      - { match: { abilities: [ops.run] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }
      - { match: { abilities: [ops.other] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}!" } }
    must_deny: [{ ability: ops.run, input: { command: a } }, { ability: ops.other, input: { command: b } }]
`,
});
afterAll(() => project.remove());

test('R-002-23: a guard cannot tell a call that it must deny from a real one by its ids and arguments', async () => {
  const { groups, ...dependencies } = hookDependenciesOf(project.root, process.env);
  try {
    const registry = loadRegistry(project.root);
    const [guard] = foreignGuards(registry, 'dev').guards;
    if (!guard) throw new Error('there is no guard');
    const { signal } = new AbortController();
    for (const _ of ['once', 'again']) {
      expect(
        await checkMustDeny(
          { ...dependencies, groups },
          'notes',
          guard.handler,
          hookEnvironment(registry, 'dev'),
          signal,
        ),
      ).toEqual([]);
    }
  } finally {
    groups.close();
  }
  const lines = readFileSync(join(project.root, 'received.txt'), 'utf8').trim().split('\n');
  const ids = lines.map((line): Record<string, string> => JSON.parse(line));
  expect(ids).toHaveLength(4);
  // The second call is for another ability; its arguments read its own input, as in a real call.
  expect(ids.map(({ seen }) => seen)).toEqual(['a in a', 'b in a', 'a in a', 'b in a']);
  for (const { session_id, tool_use_id, argument } of ids) {
    // For a task without a session, its key stands in for the session.
    expect(session_id).toMatch(/^t-[0-9a-hjkmnp-tv-z]{26}$/);
    expect(argument).toBe(session_id);
    expect(tool_use_id).toMatch(/^toolu_[0-9a-f]{24}$/);
  }
  expect(new Set(ids.map(({ session_id }) => session_id)).size).toBe(4);
  expect(new Set(ids.map(({ tool_use_id }) => tool_use_id)).size).toBe(4);
});
