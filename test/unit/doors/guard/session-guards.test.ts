import { describe, expect, test } from 'vitest';
import { claudeCall, guardedProject } from './guarded-project.js';

const SCRIPTED = `
  - { id: scripted, blocking: true, match: { abilities: ["logs.*"] }, handler: { script: { path: hooks/guard.mjs } } }`;

/** A project whose MCP tool has a guard that reads what a session did; `also` is another hook. */
function limited(deny_if: string, also = '') {
  const expression = `{ deny_if: "${deny_if}", reason: That was enough. }`;
  return guardedProject({
    'ability.yaml': `${FILES_YAML}\npolicy: { bypass: { abilities: "off" } }\n`,
    'hooks/guard.mjs': 'console.log(JSON.stringify({ guard_decision: "allow" }));',
    'registry/hooks/PreAbilityCall.yaml': `hooks:
  - { id: limit, blocking: true, match: { abilities: ["logs.*"] }, handler: { expression: ${expression} } }${also}
`,
  });
}
const FILES_YAML = 'format: 1\nproject: acme\nenvironments: { dev: {} }';
const ENV = { HOME: '/home/nobody' };

describe.each([
  ['expressions alone', ''],
  ['a script among them', SCRIPTED],
])('guards that read what a session did, with %s (R-002-57)', (_, also) => {
  test.each([
    'session.counts.total >= 5',
    'session != null && session.counts.total >= 5',
    'session != null && session.?calls.hasValue()',
    "session.calls.exists(c, c.ability == 'x')",
  ])('%s: in a session they deny the call, and name the command that is counted', async (condition) => {
    const { project, ask } = limited(condition, also);
    const call = claudeCall('mcp__log-server__search', { text: 'a' }, project.root);
    const { exit, stderr } = await ask(call, 'claude', { ...process.env, ...ENV, ABILITY_SESSION: 'one' });
    expect(stderr).toContain('ability run logs.search --session one');
    expect(stderr).toContain('hook limit of logs.search');
    expect(exit).toBe(2);
  });

  test('without a session they deny the call with their suggestion', async () => {
    const { project, ask } = limited('session.counts.total >= 5', also);
    const call = claudeCall('mcp__log-server__search', { text: 'a' }, project.root);
    const { exit, stderr } = await ask(call, 'claude', { ...process.env, ...ENV, ABILITY_SESSION: undefined });
    expect(stderr).toContain('ability session start');
    expect(exit).toBe(2);
  });

  test('one that reads only whether there is a session, or its id, is evaluated', async () => {
    const { project, ask } = limited("session == null || session.id == 'bad'", also);
    const call = claudeCall('mcp__log-server__search', { text: 'a' }, project.root);
    const askIn = (session: string | undefined) =>
      ask(call, 'claude', { ...process.env, ...ENV, ABILITY_SESSION: session });
    expect((await askIn('one')).exit).toBe(0);
    expect((await askIn('bad')).stderr).toContain('That was enough.');
    expect((await askIn(undefined)).exit).toBe(2);
  });
});
