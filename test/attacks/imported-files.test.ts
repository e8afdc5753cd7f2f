import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import type { TaskResult } from '../../src/contracts/task.js';
import type { ProjectFiles } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { scriptAbility } from '../fixtures/servers/definitions.js';

let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  project = await runProject({ 'package.json': '{ "type": "module" }' });
});
afterAll(() => project.stop());

/** A script that is approved with its files, and the later edits, which must not run. */
interface Attack {
  name: string;
  /** Relative to the folder of the attack. */
  main: string;
  files: ProjectFiles;
  edited: ProjectFiles;
  script?: JsonObject;
}

/** Creates a task, edits files, then runs the task. */
async function runEdited({ main, files, edited, script }: Omit<Attack, 'name'>): Promise<TaskResult> {
  counter += 1;
  const own = (given: ProjectFiles): ProjectFiles =>
    Object.fromEntries(Object.entries(given).map(([path, content]) => [`case${counter}/${path}`, content]));
  const ability = `s.import_${counter}`;
  const placed = JSON.parse(JSON.stringify({ args: [], ...script }).replaceAll('CASE', `case${counter}`)) as JsonObject;
  const { [main]: content = '', ...others } = files;
  project.write({
    ...scriptAbility(ability, `case${counter}/${main}`, content, { script: placed }),
    ...own(others),
  });
  const { id } = await project.create(ability, {}, { run: false });
  project.write(own(edited));
  await runTask(project.connection, id);
  const end = await project.wait(id);
  if (end.kind !== 'ended') throw new Error(`${ability} did not end`);
  return end.result;
}

const MODULE = (text: string): string => `export const text = ${JSON.stringify(text)};\n`;
const COMMON = (text: string): string => `module.exports = ${JSON.stringify(text)};\n`;
const PYTHON = (text: string): string => `text = ${JSON.stringify(text)}\n`;
const SHELL = (text: string): string => `text='${JSON.stringify(text)}'\n`;
const print = 'console.log(JSON.stringify(text));\n';

const ATTACKS: Attack[] = [
  {
    name: 'a module',
    main: 'main.mjs',
    files: { 'main.mjs': `import { text } from './lib.mjs';\n${print}`, 'lib.mjs': MODULE('approved') },
    edited: { 'lib.mjs': MODULE('edited') },
  },
  {
    name: 'a module that a module imports, in a cycle',
    main: 'main.mjs',
    files: {
      'main.mjs': `import { text } from './lib/a.mjs';\n${print}`,
      'lib/a.mjs': "export * from './b.mjs';\n",
      'lib/b.mjs': `import './a.mjs';\n${MODULE('approved')}`,
    },
    edited: { 'lib/b.mjs': MODULE('edited') },
  },
  {
    name: 'a module that is imported when it is needed',
    main: 'main.mjs',
    files: { 'main.mjs': `const { text } = await import('./lib.mjs');\n${print}`, 'lib.mjs': MODULE('approved') },
    edited: { 'lib.mjs': MODULE('edited') },
  },
  {
    name: 'the script, too: its copy finds what it imported',
    main: 'main.mjs',
    files: { 'main.mjs': `import { text } from './lib.mjs';\n${print}`, 'lib.mjs': MODULE('approved') },
    edited: { 'main.mjs': 'console.log(\'"edited"\');\n', 'lib.mjs': MODULE('edited') },
  },
  {
    name: 'what is required: a file without its extension, a folder, JSON',
    main: 'main.cjs',
    files: {
      'main.cjs': "const text = require('./lib')() + require('./more');\nconsole.log(JSON.stringify(text));\n",
      'lib/index.js': "module.exports = () => require('./part.json');\n",
      'lib/part.json': '"app"',
      'more.js': COMMON('roved'),
      'lib/package.json': '{ "type": "commonjs" }',
      'package.json': '{ "name": "common" }',
    },
    edited: {
      'more.js': COMMON('edited'),
      'lib/part.json': '"edited"',
      'lib/index.js': COMMON('edited'),
      'lib/package.json': '{}',
    },
  },
  {
    name: 'the package.json that says how the script is read',
    main: 'main.js',
    files: {
      'main.js': "import { text } from '#lib';\nconsole.log(JSON.stringify(text));\n",
      'package.json': '{ "type": "module", "imports": { "#lib": "./a.mjs" } }',
      'a.mjs': MODULE('approved'),
      'b.mjs': MODULE('edited'),
    },
    edited: { 'package.json': '{ "type": "module", "imports": { "#lib": "./b.mjs" } }', 'a.mjs': MODULE('edited') },
  },
  {
    name: 'modules of Python: beside the script, in a package, relative',
    main: 'main.py',
    files: {
      'main.py': 'import json\nfrom lib import text\nfrom pkg import inner\nprint(json.dumps(text + inner.more))\n',
      'lib.py': PYTHON('app'),
      'pkg/__init__.py': '',
      'pkg/inner.py': 'from .deep import more\n',
      'pkg/deep.py': 'more = "roved"\n',
    },
    edited: {
      'lib.py': PYTHON('edited'),
      'pkg/deep.py': 'more = "edited"\n',
      'pkg/__init__.py': 'raise SystemExit(1)\n',
    },
  },
  {
    name: 'a file that a shell script reads from beside itself',
    main: 'main.sh',
    files: {
      'main.sh': 'here=$(cd "$(dirname "$0")" && pwd)\n. "$here/lib.sh"\n. "$(dirname "$0")/print.sh"\n',
      'lib.sh': SHELL('approved'),
      'print.sh': 'echo "$text"\n',
    },
    edited: { 'lib.sh': SHELL('edited'), 'print.sh': 'echo \'"edited"\'\n' },
  },
  {
    name: 'a file that a bash script reads from beside itself',
    main: 'main',
    files: {
      main: '#!/usr/bin/env bash\nsource "${BASH_SOURCE%/*}/lib.sh"\necho "$text"\n',
      'lib.sh': SHELL('approved'),
    },
    edited: { 'lib.sh': SHELL('edited') },
  },
  {
    name: 'what its interpreter loads, and a program of the project that is its interpreter',
    main: 'main.mjs',
    files: {
      'main.mjs': 'console.log(JSON.stringify(globalThis.text));\n',
      'first.mjs': "import { text } from './lib.mjs';\nglobalThis.text = text;\n",
      'lib.mjs': MODULE('approved'),
      run: '#!/bin/sh\nexec "$@"\n',
    },
    edited: { 'first.mjs': "globalThis.text = 'edited';\n", run: '#!/bin/sh\necho \'"edited"\'\n' },
    script: { interpreter: ['./CASE/run', 'node', '--import=./CASE/first.mjs'] },
  },
];

describe('no edit after the approval takes effect in', () => {
  test.each(ATTACKS)('$name', async (attack) => {
    expect(await runEdited(attack)).toMatchObject({ status: 'succeeded', output: 'approved' });
  });

  test('a file that a shell script reads from the working directory: the task fails', async () => {
    project.write({ 'lib.sh': SHELL('approved') });
    const files = { 'main.sh': '. ./lib.sh\necho "$text"\n' };
    expect(await runEdited({ main: 'main.sh', files, edited: {} })).toMatchObject({ output: 'approved' });
    const more = { effects: 'write_additive' };
    project.write(scriptAbility('s.sourced', 'sourced.sh', files['main.sh'], { script: { args: [] }, more }));
    const { id } = await project.create('s.sourced', {}, { run: false });
    project.write({ 'lib.sh': SHELL('edited') });
    await runTask(project.connection, id);
    const end = await project.wait(id);
    expect(end).toMatchObject({
      result: { status: 'failed', error: { code: 'script.changed', message: expect.stringMatching(/lib\.sh/) } },
    });
  });

  test('a file in a folder among `files`, which the script reads through {pinned} and ABILITY_PINNED', async () => {
    const files = {
      'main.mjs': `import { readFileSync } from 'node:fs';
const [at] = process.argv.slice(2);
const text = readFileSync(at + '/ops/part.txt', 'utf8') + readFileSync(process.env.ABILITY_PINNED + '/ops/part.txt', 'utf8');
console.log(JSON.stringify({ text, isHere: process.cwd() === process.env.ABILITY_ROOT }));\n`,
    };
    project.write({ 'ops/part.txt': 'approved ' });
    const edited = { '../ops/part.txt': 'edited ' };
    const script = { args: ['{pinned}'], files: ['ops'] };
    expect(await runEdited({ main: 'main.mjs', files, edited, script })).toMatchObject({
      output: { text: 'approved approved ', isHere: true },
    });
  });
});

describe('a pinned copy runs as the project does', () => {
  const dependency = (name: string, text: string): ProjectFiles => ({
    [`node_modules/${name}/package.json`]: `{ "name": "${name}", "type": "module", "exports": "./index.js" }`,
    [`node_modules/${name}/index.js`]: MODULE(text),
  });

  test('with packages installed in the project and in a folder below it', async () => {
    const inner = Object.fromEntries(
      Object.entries(dependency('nested', 'ested')).map(([path, content]) => [`sub/${path}`, content]),
    );
    project.write(dependency('outer', 'n'));
    const files = {
      'sub/main.mjs': `import { text as one } from 'outer';
import { text as two } from 'nested';
console.log(JSON.stringify(one + two));\n`,
      ...inner,
    };
    expect(await runEdited({ main: 'sub/main.mjs', files, edited: {} })).toMatchObject({ output: 'nested' });
  });

  test('when the script and the file that it imports are deleted', async () => {
    project.write({
      ...scriptAbility('s.deleted', 'deleted/main.mjs', `import { text } from './lib.mjs';\n${print}`, {
        script: { args: [] },
      }),
      'deleted/lib.mjs': MODULE('approved'),
    });
    const { id } = await project.create('s.deleted', {}, { run: false });
    rmSync(join(project.root, 'deleted'), { recursive: true });
    await runTask(project.connection, id);
    expect(await project.wait(id)).toMatchObject({ result: { output: 'approved' } });
  });
});
