import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operation } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

/** Like the guards that teams write: exit 2 and stderr, in a shell with or without jq. */
const BASH = `#!/usr/bin/env bash
command=$(cat | tr -d '\\n' | sed -n 's/.*"tool_input":{"command":"\\([^"]*\\)".*/\\1/p')
case "$command" in
  *"rm -rf"*) echo "BLOCKED: $command" >&2; exit 2 ;;
esac
exit 0
`;

/** JSON with a permissionDecision; reads a list from the folder of its plugin. */
const PYTHON = `import json, os, sys
event = json.load(sys.stdin)
with open(os.path.join(os.environ["CLAUDE_PLUGIN_ROOT"], "words.txt")) as words:
    denied = [word.strip() for word in words]
path = event["tool_input"]["file_path"]
if any(word in path for word in denied):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": "protected: " + path}}))
`;

/** Records its input, and asks for a person if the command is a deploy. */
const NODE = `const { readFileSync, writeFileSync } = require('node:fs');
const event = JSON.parse(readFileSync(0, 'utf8'));
const { HOME, CLAUDE_PROJECT_DIR } = process.env;
writeFileSync(\`\${CLAUDE_PROJECT_DIR}/received.json\`, JSON.stringify({ event, HOME, CLAUDE_PROJECT_DIR, cwd: process.cwd() }));
const { command } = event.tool_input;
if (command.includes('drop')) process.exitCode = 2;
else if (command.includes('deploy')) {
  console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: 'a deploy' } }));
}
`;

const bash = (id: string, ability: string, guard: string, more = '') => `
  - id: ${id}
    match: { abilities: [${ability}] }
    blocking: true
    handler: { script: { path: .claude/hooks/${guard} }, format: claude-code }
    as: [{ match: { abilities: [${ability}] }, tool_name: Bash, tool_input: { command: "\${{ input.command }}" } }]
${more}`;
const must = (ability: string, command: string) =>
  `    must_deny: [{ ability: ${ability}, input: { command: ${command} } }]`;
const ECHO = 'writeFileSync("ran.txt", "ran"); return input;';
const WRITES = { effects: 'write_idempotent' };

beforeAll(async () => {
  project = await runProject({
    ...operation('ops.run', ECHO, WRITES),
    ...operation('fs.write', ECHO, WRITES),
    ...operation('ops.node', ECHO, WRITES),
    ...operation('ops.silent', ECHO, WRITES),
    ...operation('ops.weak', ECHO, WRITES),
    ...operation('ops.edits', ECHO, WRITES),
    ...operation('ops.after', ECHO, WRITES),
    '.claude/hooks/block.sh': BASH,
    '.claude/plugin/guard.py': PYTHON,
    '.claude/plugin/words.txt': '.env\nsecrets/\n',
    '.claude/hooks/asks.cjs': NODE,
    '.claude/hooks/edits.sh': `#!/bin/sh
echo '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow","updatedInput":{"command":"ls"}}}'
`,
    '.claude/hooks/log.sh': `#!/bin/sh
cat > "$CLAUDE_PROJECT_DIR/after.json"
echo '{"decision":"block","reason":"not formatted"}'
`,
    'registry/hooks/PreAbilityCall.yaml': `hooks:
${bash('block', 'ops.run', 'block.sh', must('ops.run', 'rm -rf /'))}
  - id: protect
    match: { abilities: [fs.write] }
    blocking: true
    handler: { script: { path: .claude/plugin/guard.py, plugin_root: .claude/plugin }, format: claude-code }
    as: [{ match: { abilities: [fs.write] }, tool_name: Write, tool_input: "\${{ input }}" }]
    must_deny: [{ ability: fs.write, input: { file_path: .env, content: x } }]
${bash('asks', 'ops.node', 'asks.cjs', must('ops.node', 'drop table'))}
${bash('silent', 'ops.silent', 'block.sh', '    abstain: deny')}
${bash('weak', 'ops.weak', 'block.sh', must('ops.weak', 'shutdown'))}
${bash('edits', 'ops.edits', 'edits.sh', '    abstain: allow')}
`,
    'registry/hooks/PostAbilityCall.yaml': `hooks:
${bash('after', 'ops.after', 'log.sh')}
`,
  });
});

afterAll(() => project.stop());

const json = (name: string) => JSON.parse(readFileSync(join(project.root, name), 'utf8'));
const run = async (ability: string, input: Record<string, string>) => {
  rmSync(join(project.root, 'ran.txt'), { force: true });
  const result = await project.run(ability, input);
  return { ...result, hasRun: existsSync(join(project.root, 'ran.txt')) };
};

describe('guards written for Claude Code, around a real call (answers 38 to 40)', () => {
  test('a shell script denies with exit 2 and its stderr, and allows by silence', async () => {
    const denied = await run('ops.run', { command: 'sudo rm -rf /tmp/x' });
    expect(denied).toMatchObject({ status: 'denied', hasRun: false, error: { code: 'guard.denied' } });
    expect(denied.error?.message).toMatch(/BLOCKED: sudo rm -rf/);
    expect(await run('ops.run', { command: 'ls' })).toMatchObject({ status: 'succeeded', hasRun: true });
  });

  test('a Python script denies with JSON, and finds the folder of its plugin', async () => {
    const denied = await run('fs.write', { file_path: 'config/.env', content: 'A=1' });
    expect(denied).toMatchObject({ status: 'denied', hasRun: false });
    expect(denied.error?.message).toMatch(/protected: config/);
    expect(await run('fs.write', { file_path: 'a.txt', content: '' })).toMatchObject({ status: 'succeeded' });
  });

  test('answer 39: a Node script gets every key, HOME, its project and its working directory', async () => {
    expect(await run('ops.node', { command: 'ls' })).toMatchObject({ status: 'succeeded' });
    const { root } = project;
    expect(json('received.json')).toEqual({
      event: {
        session_id: expect.any(String),
        transcript_path: expect.any(String),
        cwd: root,
        permission_mode: 'default',
        hook_event_name: 'PreToolUse',
        tool_name: 'Bash',
        tool_input: { command: 'ls' },
        tool_use_id: expect.stringMatching(/^toolu_/),
      },
      HOME: process.env.HOME,
      CLAUDE_PROJECT_DIR: root,
      cwd: root,
    });
  });

  test('`ask` raises an approval', async () => {
    const { id } = await project.create('ops.node', { command: 'deploy it' });
    const end = await project.wait(id, { approvalMs: 0 });
    expect(end).toMatchObject({ kind: 'approval', result: { approvals: [{ status: 'open' }] } });
  });

  test('`abstain: deny` turns silence into a denial', async () => {
    const denied = await run('ops.silent', { command: 'ls' });
    expect(denied).toMatchObject({ status: 'denied', hasRun: false, error: { code: 'guard.denied' } });
    expect(denied.error?.message).toMatch(/did not decide/);
  });

  test('answer 38: a guard that does not deny what it must fails for every call', async () => {
    const denied = await run('ops.weak', { command: 'ls' });
    expect(denied).toMatchObject({ status: 'denied', hasRun: false, error: { code: 'hook.failed' } });
    expect(denied.error?.message).toMatch(
      /must deny \(ops\.weak, shown as Bash \{"command":"shutdown"\}\): it is silent/,
    );
  });

  test('promise 3: an input other than the approved one is refused', async () => {
    const denied = await run('ops.edits', { command: 'rm x' });
    expect(denied).toMatchObject({ status: 'denied', hasRun: false, error: { code: 'hook.failed' } });
    expect(denied.error?.message).toMatch(/updatedInput/);
  });

  test('input that the tool does not accept is refused and not shown', async () => {
    const denied = await project.run('ops.run', { command: ['rm', '-rf', '/'] as never });
    expect(denied).toMatchObject({ status: 'denied', error: { code: 'hook.failed' } });
  });

  test('a hook after a call sees its outcome, and changes nothing', async () => {
    const result = await run('ops.after', { command: 'ls' });
    expect(result).toMatchObject({ status: 'succeeded', hasRun: true });
    expect(result.warnings.join()).toMatch(/after objects: not formatted/);
    expect(json('after.json')).toMatchObject({
      hook_event_name: 'PostToolUse',
      tool_response: { command: 'ls' },
    });
  });
});
