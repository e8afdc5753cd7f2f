import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanScript } from '../../../src/contracts/plan.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import type { ProjectFiles, ProjectFolder } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { lowLevel, temporaryProject } from '../temporary-project.js';

function projectWith(path: string, files: ProjectFiles, more = ''): ProjectFolder {
  return temporaryProject({
    ...lowLevel('op', `implementation: { kind: script, script: { path: ${path}${more} } }`),
    ...files,
  });
}

function planned({ root }: ProjectFolder): PlanScript {
  const { implementation } = resolvePlan(loadRegistry(root), 'op', 'dev').plan.operations.op ?? {};
  if (implementation?.kind !== 'script') throw new Error('no script');
  return implementation.script;
}

/** Paths of what is pinned with the first of the files; files that are read live are marked. */
function pinnedWith(files: ProjectFiles, more = ''): string[] {
  const [path = ''] = Object.keys(files);
  const { files: pinned = [] } = planned(projectWith(path, files, more));
  return pinned.map((file) => (file.live ? `${file.path} (live)` : file.path));
}

describe('what JavaScript imports', () => {
  test('statically, dynamically, as a re-export, for its effect, as JSON, with a query', () => {
    const main = [
      "import a, { b } from './a.mjs';",
      "import './effect.mjs';",
      "export * from './sub/again.mjs';",
      "export { x } from '../up.mjs';",
      "const late = await import('./late.mjs');",
      "import data from './data.json' with { type: 'json' };",
      "import './with%20blank.mjs?version=1#x';",
      "import 'node:fs'; import pg from 'pg'; import '@scope/x/y.js';",
    ].join('\n');
    const names = ['a.mjs', 'effect.mjs', 'sub/again.mjs', 'late.mjs', 'data.json', 'with blank.mjs', 'other.mjs'];
    const files = Object.fromEntries(names.map((name) => [`s/${name}`, '']));
    expect(pinnedWith({ 's/main.mjs': main, 'up.mjs': '', ...files })).toEqual(
      [...names.slice(0, -1).map((name) => `s/${name}`), 'up.mjs'].sort(),
    );
  });

  test('by `require` as Node resolves it: extensions, folders, `main`; an exact file wins', () => {
    const main = [
      "require('./exact'); require('./ending'); require(\"./data\"); require(`./folder`); require('./package');",
      "require.resolve('./resolved.js'); const { createRequire } = require('node:module'); require('pg');",
    ].join('\n');
    const files = {
      's/main.cjs': main,
      's/exact': '',
      's/exact.js': '',
      's/ending.js': '',
      's/data.json': '{}',
      's/folder/index.js': "require('../deep');",
      's/deep.js': '',
      's/package/package.json': '{ "main": "lib/start" }',
      's/package/lib/start.js': '',
      's/resolved.js': '',
    };
    const { 's/main.cjs': _, 's/exact.js': __, ...expected } = files;
    expect(pinnedWith(files)).toEqual(Object.keys(expected).sort());
  });

  test('a module guesses no extension, as in Node', () => {
    expect(pinnedWith({ 'main.mjs': "import './a';", 'a.js': '', 'a/index.js': '' })).toEqual([]);
  });

  test('by `require` in a module that creates it', () => {
    const main =
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);\nrequire('./a');";
    expect(pinnedWith({ 'main.mjs': main, 'a.cjs': '', 'a.js': '' })).toEqual(['a.js']);
  });

  test('by `imports` of the nearest package.json, and by the name of the package', () => {
    const imports = { '#a': './src/a.mjs', '#lib/*': { node: './lib/*.mjs', default: './web/*.mjs' } };
    const main = "import '#a'; import '#lib/deep/b'; import 'own/c'; import 'owner';";
    expect(
      pinnedWith({
        'main.mjs': main,
        'package.json': JSON.stringify({ name: 'own', imports, exports: { './c': './c.mjs' } }),
        'src/a.mjs': '',
        'lib/deep/b.mjs': '',
        'c.mjs': '',
      }),
    ).toEqual(['c.mjs', 'lib/deep/b.mjs', 'package.json', 'src/a.mjs']);
  });

  test('the nearest package.json of each module, which determines how Node reads it, is pinned and changes the plan', () => {
    const project = projectWith('s/main.js', {
      's/main.js': "import '../lib/a.js';",
      'lib/a.js': '',
      'package.json': '{ "type": "module" }',
      'lib/package.json': '{ "type": "module" }',
    });
    const before = planned(project);
    expect(before.files?.map(({ path }) => path)).toEqual(['lib/a.js', 'lib/package.json', 'package.json']);
    project.write({ 'package.json': '{ "type": "commonjs" }' });
    expect(planned(project).files).not.toEqual(before.files);
  });

  test('in TypeScript, for interpreters that run it', () => {
    const files = {
      'main.ts': "import { a } from './a.js';\nimport b from './b';",
      'a.ts': 'export type X = 1;',
      'b.ts': '',
    };
    expect(pinnedWith(files, ', interpreter: [/usr/bin/env, node]')).toEqual(['a.ts', 'b.ts']);
  });

  test('a text that is not JavaScript, and one with an unclosed comment, are read without harm', () => {
    expect(pinnedWith({ 'main.mjs': "import './a.mjs'; }}}} ``` ${" })).toEqual([]);
    const began = process.cpuUsage();
    expect(pinnedWith({ 'main.cjs': `${'/*"`'.repeat(200_000)}require(` })).toEqual([]);
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000);
  });
});

describe('what Python imports', () => {
  test('modules and packages next to the script, also for the modules of a package', () => {
    const main = [
      'import json, lib as l, pkg.mod',
      'if True: import late',
      'from pkg import (one,',
      '    two as t)  # comment',
      'from other.deep \\',
      '    import thing',
      '"""',
      'import in_text',
      '"""',
      'import importlib; importlib.import_module("by_name")',
    ].join('\n');
    const files = {
      's/main.py': main,
      's/lib.py': 'import beside',
      's/beside.py': '',
      's/late.py': '',
      's/pkg/__init__.py': 'from . import three\n',
      's/pkg/mod.py': 'from ..upper import x\nfrom .one import y\nimport beside',
      's/pkg/one.py': '',
      's/pkg/two/__init__.py': '',
      's/pkg/three.py': '',
      's/other/deep.py': '',
      's/by_name.py': '',
    };
    const { 's/main.py': _, ...expected } = files;
    const others = { 's/in_text.py': '', 's/pkg/json.py': '', 'beside.py': '' };
    expect(pinnedWith({ ...files, ...others })).toEqual(Object.keys(expected).sort());
  });

  test('by its interpreter or its shebang, if the name does not show the language', () => {
    const files = { script: 'import lib', 'lib.py': '' };
    expect(pinnedWith(files, ', interpreter: [python3, -u]')).toEqual(['lib.py']);
    expect(pinnedWith({ script: '#!/usr/bin/env python3\nimport lib', 'lib.py': '' })).toEqual(['lib.py']);
  });
});

describe('what a shell reads', () => {
  test('next to the script, next to the file, from the copy, from the working directory', () => {
    const main = [
      'here="$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" >/dev/null 2>&1 && pwd)"',
      '. "$(dirname "$0")/a.sh"; source "${here}/b.sh"',
      "if true; then . '${0%/*}/c.sh'; fi".replaceAll("'", '"'),
      '. "$ABILITY_PINNED/ops/d.sh" && . ./ops/e.sh',
      'echo . ./ops/f.sh # . ./ops/f.sh',
      'source on-the-path.sh',
    ].join('\n');
    const files = { 's/main.sh': main, 's/a.sh': '', 's/b.sh': '. "${0%/*}/b2.sh"', 's/b2.sh': '', 's/c.sh': '' };
    const ops = { 'ops/d.sh': '', 'ops/e.sh': '', 'ops/f.sh': '' };
    expect(pinnedWith({ ...files, ...ops })).toEqual([
      'ops/d.sh',
      'ops/e.sh (live)',
      's/a.sh',
      's/b.sh',
      's/b2.sh',
      's/c.sh',
    ]);
  });
});

describe('what is pinned with a script', () => {
  test('includes what `files` names, and what these files import', () => {
    const files = { 'main.sh': 'true', 'ops/a.mjs': "import './b.mjs';", 'ops/b.mjs': '', 'ops/data.bin': '' };
    expect(pinnedWith(files, ', files: [ops/a.mjs, ops/data.bin]')).toEqual(['ops/a.mjs', 'ops/b.mjs', 'ops/data.bin']);
  });

  test('has each file once, without the script, in an order that does not depend on the definition', () => {
    const files = {
      'ops/main.mjs': "import './b.mjs'; import './a.mjs';",
      'ops/a.mjs': "import './main.mjs';",
      'ops/b.mjs': '',
    };
    expect(pinnedWith(files, ', files: [ops, ops/b.mjs]')).toEqual(['ops/a.mjs', 'ops/b.mjs']);
  });

  test('an edit of an imported file changes the plan', () => {
    const project = projectWith('a.mjs', { 'a.mjs': "import './b.mjs';", 'b.mjs': '1' });
    const before = planned(project);
    project.write({ 'b.mjs': '2' });
    expect(planned(project)).not.toEqual(before);
  });

  test('includes a link and its target, which determines where imports are found', () => {
    const project = projectWith('link.mjs', {
      'real/main.mjs': "import './a.mjs';",
      'real/a.mjs': "import '../b.mjs';",
      'c.mjs': '',
    });
    symlinkSync('real/main.mjs', join(project.root, 'link.mjs'));
    symlinkSync('c.mjs', join(project.root, 'b.mjs'));
    const script = planned(project);
    expect(script).toMatchObject({ path: 'link.mjs', real: 'real/main.mjs' });
    expect(script.files?.map(({ path, real }) => (real ? `${path} -> ${real}` : path))).toEqual([
      'b.mjs -> c.mjs',
      'c.mjs',
      'real/a.mjs',
      'real/main.mjs',
    ]);
  });

  test('includes nothing outside the project, not even through a link', () => {
    const outside = temporaryProject({ 'lib.mjs': '// outside' });
    const main = `import '../../../../../..${outside.root}/lib.mjs'; import './link.mjs'; import '${outside.root}/lib.mjs';`;
    const project = projectWith('main.mjs', { 'main.mjs': main });
    symlinkSync(join(outside.root, 'lib.mjs'), join(project.root, 'link.mjs'));
    expect(planned(project).files).toBeUndefined();
  });

  test('more than 500 files are refused, with the location and what to do', () => {
    const files = Object.fromEntries(
      Array.from({ length: 501 }, (_, n) => [`lib/m${n}.mjs`, `import './m${n + 1}.mjs';`]),
    );
    const error = errorOf(() => planned(projectWith('main.mjs', { 'main.mjs': "import './lib/m0.mjs';", ...files })));
    expect(error).toMatchObject({ code: 'definition.invalid', message: expect.stringMatching(/500 files/) });
    expect(error.suggestion).toMatch(/Bundle/);
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });

  test('a file of more than 256 MiB is refused', () => {
    const project = projectWith('main', { main: '#!/bin/sh\n' });
    truncateSync(join(project.root, 'main'), 256 * 1024 * 1024 + 1);
    expect(errorOf(() => planned(project))).toMatchObject({
      code: 'definition.invalid',
      message: expect.stringMatching(/256 MiB/),
    });
  });

  test('500 scripts are planned quickly', () => {
    const project = projectWith('main.mjs', { 'main.mjs': '' });
    mkdirSync(join(project.root, 's'));
    for (let n = 0; n < 500; n += 1) {
      writeFileSync(join(project.root, `s/op${n}.mjs`), `import '../main.mjs';\n${'// x\n'.repeat(200)}`);
      const key = `many.op${n}`;
      project.write(lowLevel(key, `implementation: { kind: script, script: { path: s/op${n}.mjs } }`));
    }
    const registry = loadRegistry(project.root);
    const began = process.cpuUsage();
    for (let n = 0; n < 500; n += 1) resolvePlan(registry, `many.op${n}`, 'dev');
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5000);
  });
});
