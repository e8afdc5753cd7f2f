import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type AnthropicStub, startAnthropic } from '../fixtures/anthropic-stub.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { type EmulatedTerminal, openEmulated } from '../fixtures/emulated-terminal.js';
import { makeProject, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

/** The version that docs/mcp.md names. */
const VERSION = '2.1.332';

const TOOL = 'mcp__ability__ability_run';
const folder = mkdtempSync(join(tmpdir(), 'ability-claude-'));
/** Downloads 100 MB from the package registry; without one this says so, and is skipped. */
const isInstalled = install();
function install(): boolean {
  const args = ['install', '--prefix', folder, '--no-audit', '--no-fund', `@anthropic-ai/claude-code@${VERSION}`];
  try {
    execFileSync('npm', args, { stdio: 'ignore', timeout: 300_000 });
    return true;
  } catch {
    return false;
  }
}

let project: ProjectFolder;
let model: AnthropicStub;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(!isInstalled)('Claude Code at a terminal (needs its package from the registry)', () => {
  beforeAll(async () => {
    project = makeProject({
      'ability.yaml': projectFile('{ dev: {} }'),
      // Longer than a call waits, so that it becomes a task of MCP first.
      ...workflow(
        'release',
        'steps: [{ id: build, wait: 12s }, { id: ask, approval: { title: "Release it?" } }]\noutput: released',
      ),
    });
    model = await startAnthropic({
      tool: TOOL,
      input: { id: 'release' },
      after: 'release the site',
    });
    await ability(['up', '--detach'], { cwd: project.root });
  }, 120_000);
  afterAll(async () => {
    await model.stop();
    await ability(['down'], { cwd: project.root });
    project.remove();
  });

  test('waits for a person, shows the link to the page, and goes on after the decision there; its own answer decides nothing', async () => {
    // From then on the page has an address.
    await abilityJson(['open'], { cwd: project.root });
    const claude = start();
    await until(claude, '❯');
    await sayUntilConnected(claude, 'please release the site');
    const shown = await until(claude, 'wants to open a URL', 90_000);
    expect(shown).toContain('Approval needed: "Release it?" (release in dev), by any person.');
    const key = /\/tasks\/(t-[0-9a-z]+)/.exec(shown)?.[1] as string;
    expect(key).toBeDefined();
    // "I'm done, continue", which is not so.
    claude.type('\x1b[C');
    await until(claude, "❯ I'm done, continue");
    claude.type('\r');
    await sleep(3000);
    expect((await abilityJson(['task', 'show', key], { cwd: project.root })).json.status).toBe('waiting_approval');
    await ability(['approve', key, '--as', 'alice'], { cwd: project.root });
    const heard = (): string => JSON.stringify(model.asked.at(-1)?.messages ?? []);
    await expect.poll(heard, { timeout: 60_000 }).toContain('released');
    expect(heard()).not.toContain('--as');
    expect(await claude.screen()).toContain('completed');
  }, 240_000);
});

function start(): EmulatedTerminal {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true };
  const settings = { hasCompletedOnboarding: true, theme: 'dark', projects: { [project.root]: trusted } };
  writeFileSync(join(home, '.claude.json'), JSON.stringify(settings));
  const server = { type: 'stdio', command: process.execPath, args: [CLI, 'mcp', '--access', 'run'] };
  const servers = join(folder, 'mcp.json');
  writeFileSync(servers, JSON.stringify({ mcpServers: { ability: { ...server, env: { ABILITY_USER: 'carol' } } } }));
  const program = join(folder, 'node_modules/.bin/claude');
  const args = ['--mcp-config', servers, '--strict-mcp-config', '--allowedTools', 'mcp__ability'];
  const claude = openEmulated([program, ...args], project.root, {
    PATH: process.env.PATH,
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    HOME: home,
    ANTHROPIC_BASE_URL: model.address,
    ANTHROPIC_AUTH_TOKEN: 'x',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // The stub knows no tool that finds other tools.
    ENABLE_TOOL_SEARCH: 'false',
  });
  onTestFinished(() => claude.close());
  return claude;
}

/** It connects to servers in the background: what it is asked before, it asks its model without their tools. */
async function sayUntilConnected(claude: EmulatedTerminal, words: string): Promise<void> {
  for (let times = 0; times < 20; times += 1) {
    const before = model.asked.length;
    claude.type(words);
    await until(claude, words);
    claude.type('\r');
    await expect.poll(() => model.asked.length, { timeout: 30_000 }).toBeGreaterThan(before);
    if (model.asked.some(({ tools = [] }) => tools.some(({ name }) => name === TOOL))) return;
    await sleep(2000);
  }
  throw new Error('It never had the tools of the server');
}

async function until(claude: EmulatedTerminal, text: string, timeout = 60_000): Promise<string> {
  await expect.poll(() => claude.screen(), { timeout, interval: 200 }).toContain(text);
  return claude.screen();
}
