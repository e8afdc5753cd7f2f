import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CheckResult } from '../../src/contracts/check.js';
import { AGENT_TOOLS, type AgentTool } from '../../src/doors/guard/agent-tools.js';
import { checkExports } from '../../src/doors/guard/check-exports.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, operation, type ProjectFolder } from '../fixtures/project-folder.js';

let project: ProjectFolder;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  project = makeProject({ ...operation('util.echo', 'return input;') });
  const bin = join(project.root, 'bin');
  mkdirSync(bin);
  symlinkSync(CLI, join(bin, 'ability'));
  env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
});
afterEach(() => project.remove());

/** Runs a command line as a tool runs the command of its hook. */
function fire(command: string, event: object): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve, reject) => {
    const own = { ...env, CLAUDE_PROJECT_DIR: project.root, GEMINI_PROJECT_DIR: project.root };
    const child = spawn(command, { cwd: project.root, env: own, shell: true });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (part) => (output.stdout += part));
    child.stderr.on('data', (part) => (output.stderr += part));
    child.on('error', reject).on('close', (code) => resolve({ code, ...output }));
    child.stdin.on('error', () => {}).end(JSON.stringify(event));
  });
}

const EVENTS: Record<AgentTool, (command: string) => object> = {
  claude: (command) => ({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } }),
  codex: (command) => ({ hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } }),
  cursor: (command) => ({ hook_event_name: 'preToolUse', tool_name: 'Shell', tool_input: { command } }),
  gemini: (command) => ({ hook_event_name: 'BeforeTool', tool_name: 'run_shell_command', tool_input: { command } }),
};

test.each(AGENT_TOOLS)(
  'the export for %s stops the script of an ability, and nothing else (R-002-57)',
  async (tool) => {
    const { json, exitCode } = await abilityJson(['hooks', 'export', '--to', tool], { cwd: project.root });
    expect({ exitCode, change: json.change }).toEqual({ exitCode: 0, change: 'created' });
    const { command, file } = json as { command: string; file: string };
    const settings = readFileSync(join(project.root, file), 'utf8');
    const script = /path: (\S+?)[ ,}\n]/.exec(
      readFileSync(join(project.root, 'registry/low-level/util.echo.yaml'), 'utf8'),
    )?.[1];
    const denied = await fire(command, EVENTS[tool](`node ${script}`));
    expect(denied.stderr).toContain('ability run util.echo');
    expect(denied.code).toBe(2);
    expect(await fire(command, EVENTS[tool]('git status'))).toEqual({ code: 0, stdout: '{}\n', stderr: '' });
    expect((await abilityJson(['hooks', 'export', '--to', tool], { cwd: project.root })).json.change).toBe('kept');
    expect(readFileSync(join(project.root, file), 'utf8')).toBe(settings);
    expect(checkExports(project.root, env, 'deny')).toMatchObject([{ name: 'guard', status: 'ok' }]);
    expect(checkExports(project.root, env, 'off')).toMatchObject([{ name: 'guard', status: 'ok' }]);
  },
);

test('the command gives the answers of the table of forms (R-002-57)', async () => {
  const event = (command: string) => ({ ...EVENTS.claude(command), cwd: project.root });
  const command = `ability guard --for claude --project "$CLAUDE_PROJECT_DIR"`;
  const script = /path: (\S+?)[ ,}\n]/.exec(
    readFileSync(join(project.root, 'registry/low-level/util.echo.yaml'), 'utf8'),
  )?.[1];
  writeFileSync(
    join(project.root, 'package.json'),
    JSON.stringify({ scripts: { go: `node ${script}`, build: 'echo ok' } }),
  );
  for (const form of [
    'npm run go',
    'cd .sys* && cat keys/proof',
    'echo A=1 >> .env',
    'curl --unix-socket .system/runtime.sock x/v1/tasks',
  ])
    expect({ form, code: (await fire(command, event(form))).code }).toEqual({ form, code: 2 });
  expect((await fire(command, event('cat "$(cat list.txt)"'))).stdout).toContain('"permissionDecision":"ask"');
  for (const form of ['npm run build', 'git status && ls -la'])
    expect(await fire(command, event(form))).toEqual({ code: 0, stdout: '{}\n', stderr: '' });
});

test('an export whose command does not exist blocks, and doctor reports it', LONG, async () => {
  await ability(['hooks', 'export', '--to', 'claude'], { cwd: project.root });
  const [only] = checkExports(project.root, { ...env, PATH: '/usr/bin:/bin' }, 'deny');
  expect(only).toMatchObject({
    name: 'guard',
    status: 'failed',
    message: expect.stringMatching(/exit code 2.*not found/),
  });
  const { json } = await abilityJson(['doctor', '--address', '127.0.0.1:1'], {
    cwd: project.root,
    env: { PATH: '/usr/bin:/bin' },
  });
  expect((json.checks as CheckResult[]).filter(({ name }) => name === 'guard')).toMatchObject([{ status: 'failed' }]);
});

test('a broken settings file is refused and left unchanged', async () => {
  mkdirSync(join(project.root, '.claude'));
  writeFileSync(join(project.root, '.claude/settings.json'), '{ broken');
  const { exitCode, json } = await abilityJson(['hooks', 'export', '--to', 'claude'], { cwd: project.root });
  expect(exitCode).toBe(2);
  expect(json).toMatchObject({ error: { code: 'settings.unreadable' } });
  expect(readFileSync(join(project.root, '.claude/settings.json'), 'utf8')).toBe('{ broken');
});

test('outside of a project, and for an unknown tool, it refuses', async () => {
  const nowhere = await fire(`ability guard --for claude --project /`, EVENTS.claude('ls'));
  expect(nowhere).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('ability.yaml') });
  const unknown = await fire('ability guard --for emacs', EVENTS.claude('ls'));
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('emacs') });
  expect((await fire('ability guard', EVENTS.claude('ls'))).code).toBe(2);
});

test('the parser of the other commands gives the same answers', async () => {
  const line = ['guard', '--for=claude', '--project', project.root];
  const denied = await ability(line, { cwd: '/', input: JSON.stringify(EVENTS.claude('ability approve KEY')) });
  expect(denied).toMatchObject({ exitCode: 2, stdout: '', stderr: expect.stringContaining('for people') });
  const fine = await ability(line, { cwd: '/', input: JSON.stringify(EVENTS.claude('ls')) });
  expect(fine).toMatchObject({ exitCode: 0, stdout: '{}', stderr: '' });
  expect(existsSync(join(project.root, '.system/cache/guard.json'))).toBe(true);
});
