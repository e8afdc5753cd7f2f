/** What an acceptance run leaves behind, and the check that all of it is there. Source: R-002-66, R-002-69. */
import { spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeFiles } from './project-copy.mjs';

const CLI = fileURLToPath(new URL('../../dist/command/bin.js', import.meta.url));

/** A command that takes longer has gone wrong. */
const LIMIT_MS = 300_000;

/** Files that a run leaves besides `records/<task key>/tool_call.md`. */
const FILES = ['README.md', 'commands.md', 'commands.json', 'tasks.json', 'usage.jsonl', 'log.txt'];

/** Nothing of the shell that it is started from, nor of CI, may change what a scenario does. */
function environment(more) {
  const own = Object.entries(process.env).filter(([name]) => !/^(TEMPORAL_|ABILITY_|OPENAI_|npm_)/.test(name));
  return { ...Object.fromEntries(own), NO_COLOR: '1', ABILITY_USER: 'ai-developer', ...more };
}

/** One run of one scenario: its commands, its tasks, what was seen, and the folder for all of that. */
export class Record {
  commands = [];
  tasks = [];
  seen = [];
  failures = [];
  #log = '';

  /**
   * @param {string} root the project
   * @param {{ name: string, ids: string[], scope: string, what: string, expected: string[] }} scenario
   * @param {string} date names the folder
   */
  constructor(root, scenario, date) {
    this.root = root;
    this.scenario = scenario;
    this.folder = join(root, scenario.scope, 'workdocs', scenario.name, date);
    mkdirSync(this.folder, { recursive: true });
  }

  /** Starts a command, and notes it when it ends. @returns what it resolves with: `{ exit, stdout, stderr }`. */
  start(args, { env = {}, input } = {}) {
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: this.root,
      env: environment(env),
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    child.stdin?.end(input);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => {
        clearTimeout(timer);
        const exit = code ?? signal;
        const user = env.ABILITY_USER;
        this.commands.push({ command: ['ability', ...args].map(quoted).join(' '), ...(user && { user }), exit });
        this.#log += `$ ability ${args.map(quoted).join(' ')}\n${stdout}${stderr}exit ${exit}\n\n`;
        resolve({ exit, stdout, stderr });
      });
    });
  }

  /** Runs a command. @returns what it printed. @throws Error when it does not exit as expected. */
  async run(args, { exit = 0, ...options } = {}) {
    const end = await this.start(args, options);
    if (end.exit === exit) return end.stdout;
    throw new Error(
      `expected exit code ${exit}, got ${end.exit}: ability ${args.join(' ')}\n${end.stdout}${end.stderr}`,
    );
  }

  /** Runs a command with `--json`. @returns the value. */
  async json(args, options) {
    return JSON.parse(await this.run([...args, '--json'], options));
  }

  /** Notes a task that the scenario is about; its record is copied. One that was denied has called nothing. @returns its key. */
  task(key, { called = true } = {}) {
    if (!this.tasks.some((task) => task.key === key)) this.tasks.push({ key, called });
    return key;
  }

  /** Notes something that was seen, and whether it was as expected. */
  expect(holds, what) {
    this.seen.push(`${holds ? 'yes' : 'NO '} ${what}`);
    if (!holds) this.failures.push(`not so: ${what}`);
  }

  /** Writes files of the scenario, by their path in the project. */
  files(files) {
    writeFiles(this.root, files);
  }

  /** Whether the project has a file. */
  has(path) {
    return existsSync(join(this.root, path));
  }

  /** The text of a file of the project. */
  text(path) {
    return readFileSync(join(this.root, path), 'utf8');
  }

  /** Lines of usage of the tasks so far. */
  usage() {
    const file = join(this.root, '.system/usage.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.filter((line) => this.tasks.some(({ key }) => hasKey(line, key)));
  }

  /** Waits until something holds. @throws Error when it never does. */
  async until(what, holds) {
    const end = Date.now() + LIMIT_MS;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`never so: ${what}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  /** Writes the folder; what went wrong stands in it, too. Records and usage come a moment after their task ends. */
  async close() {
    if (this.failures.length === 0) {
      await this.until('each task has its record and a line of usage', () =>
        this.tasks.every(({ key, called }) => existsSync(this.#recordOf(key)) && (!called || this.#isCounted(key))),
      ).catch((error) => this.failures.push(error.message));
    }
    for (const { key } of this.tasks) {
      if (!existsSync(this.#recordOf(key))) continue;
      mkdirSync(join(this.folder, 'records', key), { recursive: true });
      copyFileSync(this.#recordOf(key), join(this.folder, 'records', key, 'tool_call.md'));
    }
    const write = (name, text) => writeFileSync(join(this.folder, name), text);
    write('commands.json', `${JSON.stringify(this.commands, null, 2)}\n`);
    write('commands.md', commandTable(this.commands));
    write('tasks.json', `${JSON.stringify(this.tasks, null, 2)}\n`);
    write(
      'usage.jsonl',
      this.usage()
        .map((line) => `${line}\n`)
        .join(''),
    );
    write('log.txt', this.#log);
    write('README.md', readme(this));
  }

  #isCounted(key) {
    return this.usage().some((line) => hasKey(line, key));
  }

  #recordOf(key) {
    return join(this.root, '.system/implement', key, 'tool_call.md');
  }
}

/** What is missing in the folder of a run, a sentence each; none where it is complete. */
export function findGaps(folder) {
  const isEmpty = (name) => !existsSync(join(folder, name)) || statSync(join(folder, name)).size === 0;
  const gaps = FILES.filter(isEmpty).map((name) => `${name} is missing or empty`);
  if (gaps.length > 0) return gaps;
  const read = (name) => readFileSync(join(folder, name), 'utf8');
  const tasks = JSON.parse(read('tasks.json'));
  const lines = read('usage.jsonl').split('\n').filter(Boolean);
  if (tasks.length === 0) gaps.push('tasks.json names no task');
  for (const { key, called } of tasks) {
    if (isEmpty(`records/${key}/tool_call.md`)) gaps.push(`records/${key}/tool_call.md is missing or empty`);
    if (called && !lines.some((line) => hasKey(line, key))) gaps.push(`usage.jsonl has no line of ${key}`);
  }
  const commands = JSON.parse(read('commands.json'));
  if (commands.length === 0) gaps.push('commands.json names no command');
  if (commands.some(({ exit }) => exit === undefined || exit === null)) gaps.push('a command has no exit code');
  return gaps;
}

const hasKey = (line, key) => JSON.parse(line).task_id === key;
const quoted = (word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

function commandTable(commands) {
  const rows = commands.map(({ command, user, exit }) => {
    const cell = command.replaceAll('|', '\\|').replaceAll('\n', ' ');
    return `| \`${cell}\` | ${user ?? 'ai-developer'} | ${exit} |`;
  });
  return ['| Command | Who | Exit code |', '| --- | --- | --- |', ...rows, ''].join('\n');
}

function readme({ scenario, seen, failures, tasks }) {
  const list = (lines) => lines.map((line) => `- ${line.replaceAll('\n', '\n  ')}`);
  return [
    `# ${scenario.name} (${scenario.ids.join(', ')})`,
    '',
    scenario.what,
    '',
    '## Expected',
    '',
    ...list(scenario.expected),
    '',
    '## Seen',
    '',
    ...list(seen.length > 0 ? seen : ['nothing: it failed before']),
    '',
    `Result: ${failures.length === 0 ? 'passed' : 'failed'}`,
    ...list(failures),
    '',
    '## Files',
    '',
    '`commands.md` and `commands.json`: what was run, with exit codes. `log.txt`: what it printed. `tasks.json`: keys of the tasks;',
    '`records/<key>/tool_call.md`: their records. `usage.jsonl`: their lines of usage.',
    '',
    ...list(tasks.map(({ key, called }) => `\`${key}\`${called ? '' : ', which called nothing'}`)),
    '',
  ].join('\n');
}
