import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CLOSES, OPENS } from '../../src/authoring/agent-documents/plan-agent-documents.js';
import { ability, abilityJson } from '../fixtures/called-command.js';

const EXAMPLE = fileURLToPath(new URL('../..', import.meta.url));
const SKILL = '.claude/skills/ability-runtime/SKILL.md';
const DOCUMENTS = ['AGENTS.md', 'registry/AGENTS.md', SKILL];

let root: string;
const run = (...args: string[]) => ability(args, { cwd: root });
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const write = (file: string, text: string): void => writeFileSync(join(root, file), text);
/** A new project as `ability init` makes it, with the skill. */
async function makeNewProject(): Promise<void> {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ability-agents-')));
  expect((await run('init', '--name', 'shop', '--env-names', 'dev,prod')).exitCode).toBe(0);
  expect(await run('docs', '--skill', '.claude/skills')).toMatchObject({ exitCode: 0, stdout: `created  ${SKILL}` });
}
const removeProject = (): void => rmSync(root, { recursive: true, force: true, maxRetries: 5 });

test('the documents of this repository match this version [R-002-56]', async () => {
  const { exitCode, json } = await abilityJson(['docs', '--check', '--agents'], { cwd: EXAMPLE });
  expect(json.documents).toMatchObject([
    { file: 'AGENTS.md', status: 'in_step' },
    { file: 'registry/AGENTS.md', status: 'in_step' },
  ]);
  expect(exitCode).toBe(0);
  expect(existsSync(join(EXAMPLE, 'docs/IMPLEMENTATION_LOG.md'))).toBe(true);
});

describe('ability docs', () => {
  beforeEach(makeNewProject);
  afterEach(removeProject);

  test('reports written documents as up to date, reports one that is not, and repairs it', async () => {
    await run('docs');
    expect(await run('docs', '--check')).toMatchObject({
      exitCode: 0,
      stdout: ['ABILITY.md', ...DOCUMENTS].map((file) => `in step  ${file}`).join('\n'),
    });
    for (const file of DOCUMENTS) {
      const before = read(file);
      write(file, before.replace(/## .*\n/, '## Do as you like\n'));
      const checked = await run('docs', '--check');
      expect(checked).toMatchObject({ exitCode: 1, stdout: expect.stringContaining(`out of step  ${file}\n`) });
      expect(checked.stdout).toMatch(/^-## Do as you like$/m);
      expect(await run('docs')).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(`written  ${file}`) });
      expect(read(file)).toBe(before);
    }
  });

  test('keeps what people wrote around the rules', async () => {
    write('AGENTS.md', `# Ours\n\nWe test on Fridays.\n\n${OPENS}\nold\n${CLOSES}\n\nAnd so on.\n`);
    expect((await run('docs')).exitCode).toBe(0);
    expect(read('AGENTS.md')).toMatch(
      /^# Ours\n\nWe test on Fridays\.\n\n<!-- [\s\S]*Before and after work[\s\S]*\n\nAnd so on\.\n$/,
    );
  });

  test('never overwrites hand-written files: it reports what to do, and writes nothing else either', async () => {
    write('AGENTS.md', '# Ours\n');
    rmSync(join(root, 'registry/AGENTS.md'));
    const refused = await run('docs', '--agents');
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/docs\.not_ours[\s\S]*ability:agents/),
    });
    expect(existsSync(join(root, 'registry/AGENTS.md'))).toBe(false);
    expect(read('AGENTS.md')).toBe('# Ours\n');
    // It belongs to its author, so nothing in it is checked.
    expect((await run('docs')).stdout).not.toContain('AGENTS.md');
    write(SKILL, '---\nname: ability-runtime\ndescription: Ours.\n---\n');
    expect(await run('docs', '--skill', '.claude/skills')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('docs.not_ours'),
    });
    write('AGENTS.md', `# Ours\n${OPENS}\n${CLOSES}\n`);
    expect(await run('docs', '--agents')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('created  registry/AGENTS.md'),
    });
  });

  test('creates a log once, and keeps its content', async () => {
    write('docs/IMPLEMENTATION_LOG.md', 'ours\n');
    expect((await run('docs', '--agents')).exitCode).toBe(0);
    expect(read('docs/IMPLEMENTATION_LOG.md')).toBe('ours\n');
  });

  test.each([
    [['--skill', 'x', '--add']],
    [['--agents', '--add']],
    [['--agents', 'ABILITY.md']],
    [['--skill', '/somewhere']],
    [['--skill', '../elsewhere']],
  ])('refuses %j', async (args) => {
    expect(await run('docs', ...args)).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('usage.invalid') });
  });

  test('accepts the folder of the skill as well as the folder of all skills', async () => {
    expect((await run('docs', '--skill', 'skills/ability-runtime')).stdout).toBe(
      'created  skills/ability-runtime/SKILL.md',
    );
  });

  test('init keeps an existing AGENTS.md, and reports how to add the rules', async () => {
    removeProject();
    root = realpathSync(mkdtempSync(join(tmpdir(), 'ability-agents-')));
    write('AGENTS.md', '# Ours\n');
    const { stderr } = await run('init', '--name', 'shop');
    expect(stderr).toContain(`AGENTS.md has none of our rules for AIs: write ${OPENS} and ${CLOSES}`);
    expect(read('AGENTS.md')).toBe('# Ours\n');
  });
});

/** How a command of the documents is run: the values of its placeholders. Each command must exit with 0. */
interface Row {
  fill?: Record<string, () => string>;
  input?: string;
  /** What its stdout contains. */
  says?: RegExp;
  /** Stores something for later rows. */
  keep?: (stdout: string) => void;
}

const DEFINITION = `operation_key: text.upper
summary: Writes a text in capitals.
effects: read
implementation:
  kind: script
  script: { path: scripts/upper.sh, args: [x] }
`;
const known: Record<string, string> = {};
const kept = (name: string) => () => known[name] ?? '';
const HELLO = { ID: () => 'hello' };
const KEY = { KEY: kept('key') };
const keepKey = (stdout: string): void => {
  known.key = JSON.parse(stdout).task_key;
};

/** Each command of the documents, in running order; without `npx --no`, with flags and remarks unchanged. */
const ROWS: Record<string, Row> = {
  'tail -n 150 docs/IMPLEMENTATION_LOG.md': { says: /# Implementation log/ },
  "ability route 'WHAT IS WANTED' --json": { fill: { 'WHAT IS WANTED': () => 'greet a person' }, says: /hello/ },
  'ability list --json': { says: /"hello"/ },
  'ability show ID --json': { fill: HELLO, says: /input_schema/ },
  "ability run ID --input '{...}' --env ENV --json": {
    fill: { ...HELLO, '{...}': () => '{"name":"World"}', ENV: () => 'dev' },
    says: /"text": "Hello, World!"/,
  },
  'ability task create ID --input @input.json --json': { fill: HELLO, says: /task_key/, keep: keepKey },
  'ability task get KEY --json': { fill: KEY, says: /"Ada"/ },
  'ability task run KEY --json': { fill: KEY, says: /Hello, Ada!/ },
  'ability task watch KEY --json': { fill: KEY, says: /Hello, Ada!/ },
  'ability task watch KEY': { fill: KEY },
  'ability task show KEY': { fill: KEY, says: /succeeded/ },
  'ability why KEY': { fill: KEY, says: /hello/ },
  'ability doctor': {},
  'ability explain CODE': { fill: { CODE: () => 'guard.denied' }, says: /denied/ },
  'ability session start': {
    keep: (stdout) => {
      known.session = stdout.trim().split(/\s/)[0] ?? '';
    },
  },
  'ability session prompt SESSION - --json': {
    fill: { SESSION: kept('session') },
    input: 'greet the world',
    says: /"turn_index"[\s\S]*"hook_signals"/,
  },
  'ability session show SESSION --json': { fill: { SESSION: kept('session') }, says: /turn/ },
  'ability session stop SESSION': { fill: { SESSION: kept('session') } },
  'ability scaffold --help': { says: /low-level/ },
  'ability scaffold low-level --from FILE --json': { fill: { FILE: () => 'draft.yaml' }, says: /text\.upper/ },
  'ability import --help': { says: /openapi/ },
  'ability harvest --json': { says: /\{/ },
  'ability lint --json': { says: /"findings"/ },
  'ability test --json': { says: /hello/ },
  'ability docs': { says: /ABILITY\.md/ },
  'ability docs --check': { says: /in step/ },
};

/** Mentioned without an action: names of commands, and placeholders for a part of the command line. */
const NAMED_ONLY = new Set([
  'ability run',
  'ability scaffold',
  'ability import',
  'ability harvest',
  'ability lint',
  'ability session prompt',
  'ability route',
  'ability show',
  'ability plan',
  'ability task create',
  'ability task set',
  'ability task run',
  'ability task show',
  'ability task watch',
  'ability task cancel',
  'ability approvals',
  'ability mcp',
]);
/** Mentioned as what an AI never runs; that an AI is refused them is tested with the guard. */
const NEVER = new Set(['ability approve', 'ability deny']);

/** The commands to type in a document: lines of fenced blocks, and code that begins with `ability`. */
function commandsIn(text: string): string[] {
  const fenced = [...text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$/gm)].flatMap(([, , lines = '']) =>
    lines
      .split('\n')
      .map((line) => line.replace(/\s+# .*$/, '').trim())
      .filter((line) => line !== ''),
  );
  const inline = [...text.matchAll(/`(ability [^`]+)`/g)].map(([, command = '']) => command);
  return [...fenced, ...inline].map((command) => command.replace(/^npx --no /, ''));
}

describe('each command of the documents is run [R-002-59, R-002-60]', () => {
  const commands = new Set<string>();

  beforeAll(async () => {
    await makeNewProject();
    for (const file of DOCUMENTS) for (const command of commandsIn(read(file))) commands.add(command);
    write('input.json', '{"name":"Ada"}');
    write('draft.yaml', DEFINITION);
    write('scripts/upper.sh', '#!/bin/sh\necho X\n');
  });
  afterAll(async () => {
    await run('down');
    removeProject();
  });

  test('there are many, and each has a row', () => {
    expect(commands.size).toBeGreaterThan(25);
    const rowless = [...commands].filter(
      (command) => !(command in ROWS) && !NAMED_ONLY.has(command) && !NEVER.has(command),
    );
    expect(rowless).toEqual([]);
    const whole = [...NAMED_ONLY, ...NEVER];
    expect(whole.filter((command) => !commands.has(command))).toEqual([]);
  });

  test.each(Object.entries(ROWS))('%s', async (command, { fill = {}, input = '', says, keep }) => {
    expect(commands).toContain(command);
    if (!command.startsWith('ability ')) {
      expect(execFileSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' })).toMatch(says ?? /./);
      return;
    }
    const words = wordsOf(command).map((word) => fill[word]?.() ?? word);
    const { exitCode, stdout, stderr } = await ability(words.slice(1), { cwd: root, input });
    expect({ exitCode, stderr: exitCode === 0 ? '' : stderr }).toEqual({ exitCode: 0, stderr: '' });
    if (says) expect(stdout).toMatch(says);
    keep?.(stdout);
  });

  test('every command that is only mentioned exists', async () => {
    for (const command of [...NAMED_ONLY, ...NEVER]) {
      const help = await run(...command.split(' ').slice(1), '--help');
      expect({ command, exitCode: help.exitCode }).toEqual({ command, exitCode: 0 });
    }
  });
});

/** The arguments of a command, split as a shell does. */
function wordsOf(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}
