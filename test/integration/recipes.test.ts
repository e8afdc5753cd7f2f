import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { parse } from 'yaml';
import { readApprovals, viewTask } from '../../src/client/index.js';
import { RegistryLoader } from '../../src/definitions/load-registry.js';
import { lintProject } from '../../src/lint/lint-project.js';
import { runProjectCases } from '../../src/testing/index.js';
import { ability } from '../fixtures/called-command.js';
import type { CommandEnd } from '../fixtures/command-line.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

const page = readFileSync(new URL('../../docs/recipes.md', import.meta.url), 'utf8');

/** The code blocks of a page: files have a path after the language, commands and their output have none. */
function blocksOf(text: string) {
  return [...text.matchAll(/^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(([, language = '', path, content = '']) => ({
    language,
    path,
    content,
  }));
}

const files = Object.fromEntries(blocksOf(page).flatMap(({ path, content }) => (path ? [[path, content]] : [])));
const recipes = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({ title: text.split('\n', 1)[0] as string, commands: commandsOf(text) }));

interface Command {
  args: string[];
  exit: number;
  prints: string[];
}

function commandsOf(text: string): Command[] {
  const commands: Command[] = [];
  for (const { language, path, content } of blocksOf(text)) {
    if (path !== undefined) continue;
    if (language === 'text') commands.at(-1)?.prints.push(...content.trimEnd().split('\n'));
    else if (language === 'sh') commands.push(...content.trimEnd().split('\n').map(readCommand));
  }
  return commands;
}

function readCommand(line: string): Command {
  const [, typed = '', exit = '0'] = /^(.*?)(?: +# exit (\d+))?$/.exec(line) ?? [];
  const [program, ...args] = wordsOf(typed);
  expect(program).toBe('ability');
  return { args, exit: Number(exit), prints: [] };
}

/** Splits a line as a shell does, as far as the page needs it. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, one, other) => one ?? other),
  );
}

const PATIENT = { timeout: 30_000 };

let project: RunningProject;
let service: Server;
const keys = new Set<string>();

beforeAll(async () => {
  let busy = 2;
  service = createServer((request, response) => {
    keys.add(String(request.headers['idempotency-key']));
    const isGood = request.headers.authorization === 'Bearer t-1' && busy-- <= 0;
    response.writeHead(isGood ? 200 : 503, { 'content-type': 'application/json' });
    response.end(isGood ? '{"invoice":"i-7"}' : '{}');
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const [own = ''] = /project: .*/.exec(projectFile()) ?? [];
  project = await runProject({
    ...files,
    'ability.yaml': (files['ability.yaml'] as string).replace('project: shop', own),
    '.env': `BILLING_URL=http://127.0.0.1:${port}\nBILLING_TOKEN=t-1\n`,
  });
});
afterAll(async () => {
  await project.stop();
  service.close();
});

const start = (args: string[]): Promise<CommandEnd> => {
  const env = { TEMPORAL_ADDRESS: inject('temporal').address, ABILITY_SEAL_KEYS: TEST_KEYS };
  return ability(args, { cwd: project.root, env });
};
const keyIn = (args: string[]): string => args[args.indexOf('--key') + 1] as string;

/** A detached task is ready for the next command once it waits itself. */
const untilItWaits = (key: string) =>
  expect
    .poll(async () => (await viewTask(project.connection, key)).result.steps.map(({ status }) => status), PATIENT)
    .toContain('waiting');

function expectEnd({ args, exit, prints }: Command, { exitCode, stdout, stderr }: CommandEnd): void {
  expect([args.join(' '), exitCode, exitCode === exit ? '' : `${stdout}\n${stderr}`]).toEqual([
    args.join(' '),
    exit,
    '',
  ]);
  const plain = (line: string): string => line.replace(/ in [\d.]+m?s$/, ' in TIME').trim();
  const printed = stdout.split('\n').map(plain).join('\n');
  for (const line of prints) expect(printed).toContain(plain(line));
}

async function runCommands(commands: readonly Command[]): Promise<void> {
  const [command, ...others] = commands;
  if (!command) return;
  const { args } = command;
  const end = start(args);
  if (!args.includes('--wait-approval')) expectEnd(command, await end);
  else await expect.poll(() => readApprovals(project.connection, keyIn(args)).catch(() => []), PATIENT).toHaveLength(1);
  if (args.includes('--detach')) await untilItWaits(keyIn(args));
  await runCommands(others);
  expectEnd(command, await end);
}

describe('docs/recipes.md', () => {
  test('lint reports nothing for its definitions but that scripts have no box', () => {
    const { findings } = lintProject(new RegistryLoader(project.root), {});
    expect(findings.filter(({ code }) => code !== 'lint.script_not_boxed')).toEqual([]);
  });

  test('each has commands, but for one that needs a program of its own', () => {
    const without = recipes.filter(({ commands }) => commands.length === 0);
    expect(without.map(({ title }) => title)).toEqual(['Secrets from a vault']);
  });

  test.each(recipes)('$title: the commands print what the page shows', async ({ commands }) => {
    await runCommands(commands);
  });

  test('all attempts at the service had the same key', () => {
    expect([...keys]).toEqual(['bill-7/send']);
  });

  test('the job runs the command that is shown, and its report lists the steps', () => {
    const job = parse(files['.github/workflows/release.yml'] as string) as {
      jobs: { release: { steps: { run?: string }[] } };
    };
    const runs = job.jobs.release.steps.flatMap(({ run }) => (run?.startsWith('npx ability ') ? [run] : []));
    const shown = recipes.find(({ title }) => title === 'Run in CI')?.commands[0]?.args;
    expect(wordsOf((runs.at(-1) as string).replaceAll('$BUILD', '42')).slice(2)).toEqual(shown);
    const report = readFileSync(join(project.root, 'release.xml'), 'utf8');
    expect(report).toMatch(/<testcase [^>]*name="go"[\s\S]*<testcase [^>]*name="deploy"/);
  });

  test('the cases tested by the job pass', async () => {
    const { cases, problems } = await runProjectCases({ root: project.root });
    expect(problems).toEqual([]);
    expect(cases.map(({ name, status, failures }) => [name, status, failures])).toEqual([
      ['an approved build is deployed', 'passed', []],
      ['a denied one is not', 'passed', []],
    ]);
  });
});
