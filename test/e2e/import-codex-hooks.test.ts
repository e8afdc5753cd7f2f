import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { CLEAN, start } from '../fixtures/command-line.js';
import { makeProject } from '../fixtures/project-folder.js';

const folder = makeProject({
  '.codex/hooks/guard.cjs': `const { command } = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).tool_input;
const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
if (command.includes('rm -rf')) answer.hookSpecificOutput.permissionDecision = 'deny';
if (command.includes('odd')) answer.risk = 'high';
console.log(JSON.stringify(answer));
`,
  '.codex/hooks.json': JSON.stringify({
    hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: 'node .codex/hooks/guard.cjs' }] }] },
  }),
  '.codex/config.toml': '[[hooks.PreToolUse]]\nmatcher = "Bash"\n',
});
const run = async (...args: string[]) => {
  const { exitCode, stdout, stderr } = await start(args, { cwd: folder.root, env: CLEAN });
  return { exitCode, output: String(stdout) + String(stderr) };
};

afterAll(async () => {
  await run('down');
  folder.remove();
});

test('answer 41: hooks in TOML are refused with the name of the file, and with advice', async () => {
  const refused = await run('import', 'hooks', '.codex/config.toml');
  expect(refused.exitCode).not.toBe(0);
  expect(refused.output).toMatch(/config\.toml is TOML, which is not read[\s\S]*\.codex\/hooks\.json/);
}, 60_000);

test('answer 41: a guard of Codex denies, and an unknown key in its answer is a failed hook', async () => {
  const imported = await run('import', 'hooks', '.codex/hooks.json', '--tools');
  expect(imported).toMatchObject({ exitCode: 0 });
  expect(imported.output).toMatch(/Not imported\n {2}\.codex\/config\.toml: it may hold hooks in TOML/);
  const file = readFileSync(join(folder.root, 'registry/hooks/codex/PreAbilityCall.yaml'), 'utf8');
  expect(file).toMatch(/format: codex/);
  expect((await run('run', 'tools.bash', '--set', 'command=rm -rf /')).output).toMatch(/guard\.denied/);
  expect((await run('run', 'tools.bash', '--set', 'command=echo odd')).output).toMatch(
    /hook\.failed[\s\S]*unknown key: risk/,
  );
  expect((await run('run', 'tools.bash', '--set', 'command=echo hi')).output).toMatch(/"text": "hi"/);
}, 120_000);
