/**
 * repo.run_script: runs a script of the package.json of a repository that calls `node`, without a shell. A script that fails is an
 * answer, not an error. The code of the repository runs, with the rights of the worker.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { answer } from './call.mjs';
import { fileIn, folderOf } from './workspace.mjs';

const MOST = 12_000;
const MOST_MS = 90_000;
/** Words that mean the same with and without a shell. */
const PLAIN = /^node( [\w@%+=:,./-]+)+$/;

await answer(({ repository, script }) => {
  const folder = folderOf(repository);
  const { scripts = {} } = JSON.parse(readFileSync(fileIn(folder, 'package.json'), 'utf8'));
  if (!Object.hasOwn(scripts, script)) throw new Error(`package.json has no script ${script}`);
  const command = scripts[script];
  if (typeof command !== 'string' || !PLAIN.test(command)) {
    throw new Error(`The script ${script} needs a shell or is no call of node; write it as \`node FILE ARGUMENTS\``);
  }
  const [, ...args] = command.split(' ');
  const env = { PATH: process.env.PATH, NO_COLOR: '1' };
  const options = {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 64 * 1024 * 1024,
  };
  const { status, error, stdout, stderr } = spawnSync(process.execPath, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = `${stdout ?? ''}${stderr ?? ''}${error ? `\n${error.code ?? error.message}` : ''}`;
  return { passed: status === 0, exit_code: status, output: said.slice(-MOST), truncated: said.length > MOST };
});
