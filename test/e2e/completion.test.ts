import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { CLI } from '../fixtures/command-line.js';
import { makeProject, operation, workflow } from '../fixtures/project-folder.js';

const project = makeProject({
  ...operation('db.read.user', 'return input;'),
  ...operation('db.write.user', 'return input;'),
  ...workflow(
    'nightly',
    'schedules: [{ id: each-night, cron: "0 3 * * *", environment: dev }]\nsteps: [{ id: one, call: db.read.user }]',
  ),
  'bin/ability': `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`,
  'input.json': '{}',
});
afterAll(() => project.remove());

const complete = async (shell: string, ...words: string[]): Promise<string[]> => {
  const { stdout, exitCode } = await ability(['completion', shell, '--', ...words], { cwd: project.root });
  expect(exitCode).toBe(0);
  return stdout === '' ? [] : stdout.split('\n');
};

describe('ability completion', () => {
  test('loads nothing that hosts workers, which only some commands need', () => {
    const entries = readdirSync(join(dirname(CLI), '../hosting')).filter((name) => !/-[\w-]{8}\.js$/.test(name));
    expect(entries.sort()).toEqual(
      [
        ...['library', 'library-contracts', 'library-testing', 'library-worker', 'replay', 'runtime-main'],
        ...['session-note-main', 'test', 'up', 'worker'],
      ]
        .map((name) => `${name}.js`)
        .sort(),
    );
  });

  test('with --json prints the script of the shell in one value', async () => {
    const { json } = await abilityJson(['completion', 'zsh'], { cwd: project.root });
    expect(json).toMatchObject({ shell: 'zsh', script: expect.stringContaining('compdef') });
  });

  test.each<[string, string[], string[]]>([
    ['commands', ['ex'], ['explain']],
    ['commands of a group', ['task', 'res'], ['result', 'resume']],
    ['ids of abilities', ['run', ''], ['nightly', 'db.read.user', 'db.write.user']],
    ['ids that begin so', ['task', 'create', 'db.w'], ['db.write.user']],
    ['no more than one id', ['run', 'nightly', ''], []],
    ['flags', ['run', 'nightly', '--de'], ['--detach']],
    ['environments', ['run', 'nightly', '--env', ''], ['dev']],
    ['environments, as bash splits', ['run', 'nightly', '--env', '=', 'd'], ['dev']],
    ['environments, in one word', ['run', 'nightly', '--env=d'], ['--env=dev']],
    ['an id behind a flag with a value', ['run', '--env', 'dev', 'ni'], ['nightly']],
    ['choices of a flag', ['lint', '--format', 's'], ['sarif']],
    ['codes', ['explain', 'ability.not'], ['ability.not_found']],
    ['shells', ['completion', 'z'], ['zsh']],
    ['stated schedules', ['schedule', 'pause', ''], ['each-night']],
    ['abilities to expose', ['serve', '--expose', 'n'], ['nightly']],
    ['files of a certificate', ['serve', '--tls-cert', ''], [':files']],
    ['files', ['run', 'nightly', '--input', ''], [':files']],
    ['nothing for what is to be made', ['scaffold', 'low-level', 'db'], []],
    ['nothing for an unknown command', ['nothing', 'at', 'all', ''], []],
  ])('completes %s', async (_, words, expected) => {
    expect(await complete('bash', ...words)).toEqual(expected);
  });

  test('completes the keys of tasks that have a record here', async () => {
    mkdirSync(join(project.root, '.system/implement/nightly-1'), { recursive: true });
    expect(await complete('bash', 'task', 'show', '')).toEqual(['nightly-1']);
  });

  test('completes the ids of tokens', async () => {
    const { json } = await abilityJson(['token', 'create', '--person', 'ann'], { cwd: project.root });
    expect(await complete('fish', 'token', 'revoke', '')).toEqual([`${(json as { id: string }).id}\tann`]);
  });

  test('describes candidates to shells that show descriptions', async () => {
    expect(await complete('fish', 'run', 'ni')).toEqual(['nightly\tA test.']);
    expect(await complete('zsh', 'run', 'ni')).toEqual(['nightly:A test.']);
  });

  test('prints nothing without a project, and uses the project that is named', async () => {
    const elsewhere = await ability(['completion', 'bash', '--', 'run', ''], { cwd: '/' });
    expect(elsewhere).toMatchObject({ exitCode: 0, stdout: '', stderr: '' });
    const named = await ability(['completion', 'bash', '--', 'run', '--project', project.root, 'ni'], { cwd: '/' });
    expect(named.stdout).toBe('nightly');
  });

  test('refuses an unknown shell', async () => {
    expect(await ability(['completion', 'tcsh'], { cwd: project.root })).toMatchObject({ exitCode: 2 });
  });
});

/** Runs a shell in the project, with `ability` on its path. */
async function shell(program: string, args: string[], script: string): Promise<string> {
  const file = join(project.root, `completion.${program}`);
  writeFileSync(file, `${(await ability(['completion', program], { cwd: project.root })).stdout}\n`);
  const env = { PATH: `${join(project.root, 'bin')}:${process.env.PATH}`, HOME: project.root };
  return (await promisify(execFile)(program, [...args, script], { cwd: project.root, env })).stdout.trim();
}

const hasShell = (name: string): boolean =>
  ['/bin', '/usr/bin', '/usr/local/bin'].some((at) => existsSync(join(at, name)));

describe.skipIf(!existsSync(CLI))('the script of', () => {
  test.skipIf(!hasShell('bash'))('bash completes in bash', async () => {
    const at = (...words: string[]): string =>
      `COMP_WORDS=(ability ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _ability ability; echo "\${COMPREPLY[*]}"`;
    const script = ['source completion.bash', 'complete -p ability', at('run', 'db'), at('run', 'x', '--input', 'in')];
    expect((await shell('bash', ['--norc', '-c'], script.join('\n'))).split('\n')).toEqual([
      'complete -F _ability ability',
      'db.read.user db.write.user',
      'input.json',
    ]);
  });

  test.skipIf(!hasShell('fish'))('fish completes in fish', async () => {
    const script = 'source completion.fish; complete -C "ability run db"; complete -C "ability keys "';
    const lines = (await shell('fish', ['--no-config', '-c'], script)).split('\n');
    expect(lines.map((line) => line.split('\t')[0])).toEqual(['db.read.user', 'db.write.user', 'create']);
  });

  test.skipIf(!hasShell('zsh'))('zsh completes in zsh', async () => {
    // The line editor needs a terminal, so what it would receive is printed instead.
    const stubs = 'compdef() { print "$@"; }; _describe() { print -l -- "${(@P)2}"; }; _files() { print files; }';
    const at = (...words: string[]): string =>
      `words=(ability ${words.map((word) => `'${word}'`).join(' ')}); CURRENT=${words.length + 1}; _ability`;
    const script = [stubs, 'source ./completion.zsh', at('run', 'ni'), at('run', 'x', '--input', '')].join('\n');
    expect((await shell('zsh', ['-f', '-c'], script)).split('\n')).toEqual([
      '_ability ability',
      'nightly:A test.',
      'files',
    ]);
  });
});
