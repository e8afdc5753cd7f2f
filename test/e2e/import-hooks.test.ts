import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CLEAN, start } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject } from '../fixtures/project-folder.js';

const folder = makeProject({
  '.claude/hooks/block-dangerous.sh': `#!/usr/bin/env bash
input=$(cat)
if printf %s "$input" | grep -qE 'rm +-[a-z]*r[a-z]*f'; then echo "BLOCKED by the team" >&2; exit 2; fi
`,
  '.claude/hooks/protect_files.py': `import json, sys
path = json.load(sys.stdin)["tool_input"].get("file_path", "")
if path.endswith(".env"):
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse",
        "permissionDecision": "deny", "permissionDecisionReason": path + " is protected"}}))
`,
  '.claude/hooks/no-force.cjs': `const event = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
if (/--force/.test(event.tool_input.command)) console.log(JSON.stringify({ decision: 'block', reason: 'not with --force' }));
`,
  '.claude/settings.json': JSON.stringify({
    hooks: {
      PreToolUse: [
        {
          matcher: 'Bash',
          hooks: [
            { type: 'command', command: '"$CLAUDE_PROJECT_DIR"/.claude/hooks/block-dangerous.sh', timeout: 5 },
            { type: 'command', command: 'node .claude/hooks/no-force.cjs', if: 'Bash(git *)' },
            { type: 'command', command: 'jq . >> log' },
          ],
        },
        {
          matcher: 'Edit|Write',
          hooks: [{ type: 'command', command: 'python3 $CLAUDE_PROJECT_DIR/.claude/hooks/protect_files.py' }],
        },
      ],
    },
  }),
});
const run = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await start(args, { cwd: folder.root, env: CLEAN });
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
};

afterAll(async () => {
  await run('down');
  folder.remove();
});

test('from three guards of Claude Code to a call that one of them denies, in four commands (answer 41)', async () => {
  const imported = await run('import', 'hooks', '.claude/settings.json', '--tools');
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(imported.stdout).toMatch(/3 of 4 hooks[\s\S]*guards tools\.bash, which it sees as Bash[\s\S]*fails closed/);
  expect(imported.stdout).toMatch(/Not imported\n {2}PreToolUse\[0\]\.hooks\[2\]: it needs a shell: it redirects/);
  expect(imported.stdout).toMatch(
    /Next\n.*lint --check-hooks.*\n {2}ability run tools\.bash --input .*rm -rf .*is denied\n.*export --to claude/,
  );
  const checked = await run('lint', '--check-hooks');
  expect(checked).toMatchObject({ exitCode: 0 });
  expect(checked.stderr).toMatch(/Fired 3 guards: (\d+) of \1 calls denied/);
  const denied = await run('run', 'tools.bash', '--set', 'command=rm -rf /');
  expect(denied.exitCode).toBe(4);
  expect(denied.stderr).toMatch(/Next:\n\s*ability why /);
  expect(denied.stdout + denied.stderr).toMatch(/BLOCKED by the team/);
  expect((await run('run', 'tools.bash', '--set', 'command=git push --force')).stdout).toMatch(/not with --force/);
  expect((await run('run', 'tools.write', '--set', 'file_path=.env', '--set', 'content=x')).exitCode).toBe(4);
  expect((await run('run', 'tools.bash', '--set', 'command=echo hi')).stdout).toMatch(/"text": "hi"/);
}, 120_000);

test('a repeated import writes nothing, and keeps the edits of people', { ...LONG, timeout: 60_000 }, async () => {
  // Not even for the guard that `hooks export` has added meanwhile.
  await run('hooks', 'export', '--to', 'claude');
  const { stdout } = await run('import', 'hooks', '.claude/settings.json', '--tools');
  expect(stdout).toMatch(/PreToolUse\[\d\]\.hooks\[0\]: it is `ability guard`, which asks the guards of this project/);
  expect(stdout).toMatch(/Nothing to write/);
  const file = 'registry/hooks/claude/PreAbilityCall.yaml';
  const edited = readFileSync(join(folder.root, file), 'utf8').replaceAll('timeout_sec: 5', 'timeout_sec: 6');
  folder.write({ [file]: edited, '.claude/settings.json': '{ "hooks": {} }' });
  const again = await run('import', 'hooks', '.claude/settings.json');
  expect(again.stdout + again.stderr).toMatch(/was edited since it was imported/);
  expect(readFileSync(join(folder.root, file), 'utf8')).toBe(edited);
});

test('lint --check-hooks reports a guard that no longer denies what it must', async () => {
  folder.write({ '.claude/hooks/block-dangerous.sh': '#!/usr/bin/env bash\nexit 0\n' });
  const found = await run('lint', '--check-hooks', '--json');
  expect(found.exitCode).toBe(1);
  expect(found.stderr).toMatch(/: \d+ of \d+ calls denied/);
  expect(JSON.parse(found.stdout).findings).toContainEqual(
    expect.objectContaining({ code: 'hook.failed', message: expect.stringMatching(/block-dangerous.*it is silent/) }),
  );
}, 60_000);

test('a guard that asks for a person is reported with the call concerned, and with the effect of its silence', async () => {
  folder.write({
    '.claude/hooks/ask.cjs': `const { command } = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).tool_input;
if (/push.*--force/.test(command)) console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'ask' } }));
`,
    '.claude/other.json': JSON.stringify({
      hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'node .claude/hooks/ask.cjs' }] }] },
    }),
  });
  const { stdout } = await run('import', 'hooks', '.claude/other.json', '--name', 'other', '--dry-run');
  expect(stdout).toMatch(/silence refuses every call \(`abstain: deny`\).*`abstain: allow` if silence is no objection/);
  expect(stdout).toMatch(/wants an approval for tools\.bash \{"command":"git push --force/);
}, 60_000);
