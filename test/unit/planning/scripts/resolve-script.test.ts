import { createHash } from 'node:crypto';
import { chmodSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PlanScript } from '../../../../src/contracts/plan.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { type ProjectFiles, projectFile } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, temporaryProject } from '../../temporary-project.js';

const operation = (script: string): ProjectFiles =>
  lowLevel('op', `implementation: { kind: script, script: { ${script} } }`);

function planned(root: string): PlanScript {
  const { implementation } = resolvePlan(loadRegistry(root), 'op', 'dev').plan.operations.op ?? {};
  if (implementation?.kind !== 'script') throw new Error('no script');
  return implementation.script;
}
const script = (yaml: string, files: ProjectFiles = { 's.mjs': '// x' }): PlanScript =>
  planned(temporaryProject({ ...operation(yaml), ...files }).root);

describe('how a script is run', () => {
  test.each([
    ['s.mjs', ['node']],
    ['s.js', ['node']],
    ['s.cjs', ['node']],
    ['s.py', ['python3']],
    ['s.sh', ['sh']],
  ])('the extension of %s determines the interpreter', (file, interpreter) => {
    expect(script(`path: ${file}`, { [file]: 'x' }).interpreter).toEqual(interpreter);
  });

  test.each([0o755, 0o644])('a first line decides, with the mode %o', (mode) => {
    const project = temporaryProject({ ...operation('path: s.py'), 's.py': '#!/bin/bash -e\n' });
    chmodSync(join(project.root, 's.py'), mode);
    expect(planned(project.root).interpreter).toEqual(['/bin/bash', '-e']);
  });

  test('an interpreter of the project is pinned', () => {
    const { interpreter, files } = script('path: run', { run: '#!tools/own -e\n', 'tools/own': '#!/bin/sh\n' });
    expect(interpreter).toEqual(['{pinned}/tools/own', '-e']);
    expect(files?.map(({ path }) => path)).toEqual(['tools/own']);
  });

  test.each([
    ['path: own', 'own', { own: '#!/no/such/bash -e\n' }],
    ['path: s.sh, interpreter: no-such-program', 'no-such-program', { 's.sh': '#!/bin/sh\n' }],
  ])('a program that is not there is refused at its place: %s', (yaml, place, files) => {
    const column = `implementation: { kind: script, script: { ${yaml}`.indexOf(place) + 1;
    expect(errorOf(() => script(yaml, files as ProjectFiles))).toMatchObject({
      code: 'config.missing_program',
      location: { file: 'registry/low-level/op.yaml', line: 4, column },
    });
  });

  test('a run bit without a first line leaves the choice to the extension', () => {
    const project = temporaryProject({ ...operation('path: s.py'), 's.py': 'x' });
    chmodSync(join(project.root, 's.py'), 0o755);
    expect(planned(project.root).interpreter).toEqual(['python3']);
  });

  test('`interpreter` wins over both, and over a first line that cannot be used', () => {
    expect(script('path: s.py, interpreter: python3', { 's.py': '#!/bin/sh\n' }).interpreter).toEqual(['python3']);
    expect(script('path: s.py, interpreter: [sh, -e]', { 's.py': 'x' }).interpreter).toEqual(['sh', '-e']);
    expect(script('path: s.ts, interpreter: node -r x', { 's.ts': '\ufeff#!' }).interpreter).toEqual([
      'node',
      '-r',
      'x',
    ]);
  });

  test.each(['s.txt', 'script'])('%s, without a known interpreter, is script.not_executable', (file) => {
    const error = errorOf(() => script(`path: ${file}`, { [file]: 'x' }));
    expect(error.code).toBe('script.not_executable');
    expect(error.suggestion).toMatch(/interpreter/);
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });

  test('an empty file with its run bit is not a program', () => {
    const project = temporaryProject({ ...operation('path: empty'), empty: '' });
    chmodSync(join(project.root, 'empty'), 0o755);
    expect(errorOf(() => planned(project.root)).code).toBe('script.not_executable');
  });
});

describe('the location of a script', () => {
  test('a missing script is script.missing, with its location in the definition', () => {
    const error = errorOf(() => script('path: nothing.mjs'));
    expect(error.code).toBe('script.missing');
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });

  test('a folder is not a script', () => {
    expect(errorOf(() => script('path: folder', { 'folder/x': '' })).code).toBe('script.missing');
  });

  test.each(['../outside.mjs', 'scripts/../../outside.mjs', '/bin/sh'])(
    'a path outside the project is refused: %s',
    (path) => {
      const inner = Object.entries({ 'ability.yaml': projectFile(), ...operation(`path: ${path}`) });
      const files = Object.fromEntries(inner.map(([file, text]) => [`inner/${file}`, text]));
      const { root } = temporaryProject({ ...files, 'outside.mjs': '// here' });
      const error = errorOf(() => planned(join(root, 'inner')));
      expect(error.code).toBe('definition.invalid');
      expect(error.message).toMatch(/outside the project/);
    },
  );

  test('a link that leads out of the project is not followed', () => {
    const project = temporaryProject(operation('path: link.sh'));
    symlinkSync('/bin/sh', join(project.root, 'link.sh'));
    expect(errorOf(() => planned(project.root)).message).toMatch(/outside the project/);
  });

  test('a folder that is a link out of the project is not followed', () => {
    const outside = temporaryProject({ 's.mjs': 'x' });
    const project = temporaryProject(operation('path: linked/s.mjs'));
    symlinkSync(outside.root, join(project.root, 'linked'));
    expect(errorOf(() => planned(project.root)).message).toMatch(/outside the project/);
  });

  test('a link inside the project is followed', () => {
    const project = temporaryProject({ ...operation('path: link.mjs'), 'real.mjs': 'content' });
    symlinkSync(join(project.root, 'real.mjs'), join(project.root, 'link.mjs'));
    expect(planned(project.root).digest).toBe(digestOf('content'));
  });
});

test('the bytes of a script are pinned', () => {
  const project = temporaryProject({ ...operation('path: s.mjs'), 's.mjs': 'one' });
  expect(planned(project.root).digest).toBe(digestOf('one'));
  project.write({ 's.mjs': 'two' });
  expect(planned(project.root).digest).toBe(digestOf('two'));
});

describe('arguments', () => {
  test('without any, the script gets the paths of its input and output', () => {
    expect(script('path: s.mjs').args).toEqual(['--input', '{input_file}', '--output', '{output_file}']);
  });

  test('a template is split, and a list is used as it is', () => {
    expect(script(`path: s.mjs, args_template: "-a '{payload}'"`).args).toEqual(['-a', '{payload}']);
    expect(script('path: s.mjs, args: ["-a", "two words"]').args).toEqual(['-a', 'two words']);
    expect(script('path: s.mjs, args_template: ""').args).toEqual([]);
  });

  test('a template and a list together are refused', () => {
    expect(errorOf(() => script('path: s.mjs, args: [], args_template: ""')).code).toBe('definition.invalid');
  });

  test('an unknown name in braces is refused with its location', () => {
    const error = errorOf(() => script('path: s.mjs, args: ["{inputfile}"]'));
    expect(error.code).toBe('definition.invalid');
    expect(error.location).toMatchObject({ file: 'registry/low-level/op.yaml', line: 4 });
  });
});

describe('the environment of a script', () => {
  const profiles = (yaml: string): ProjectFiles => ({
    's.mjs': 'x',
    'registry/config/c.yaml': `env_profiles: ${yaml}\n`,
  });

  test('is PATH, HOME, LANG and TMPDIR by default', () => {
    expect(script('path: s.mjs').env).toEqual({ pass: ['PATH', 'HOME', 'LANG', 'TMPDIR'], set: {}, secrets: {} });
  });

  test('is the profile called default if there is one', () => {
    expect(script('path: s.mjs', profiles('{ default: { pass: [PATH] } }')).env.pass).toEqual(['PATH']);
  });

  test('is the named profile, with the settings of the script on top of it', () => {
    const files = profiles('{ db: { pass: [PATH], set: { A: "1", B: "1" }, secrets: { P: "env:P" } } }');
    expect(script('path: s.mjs, env_profile: db, env: { B: "2" }', files).env).toEqual({
      pass: ['PATH'],
      set: { A: '1', B: '2' },
      secrets: { P: 'env:P' },
    });
  });

  test('is refused if the profile does not exist', () => {
    const error = errorOf(() => script('path: s.mjs, env_profile: databse', profiles('{ database: {} }')));
    expect(error.code).toBe('definition.unknown_reference');
    expect(error.suggestion).toBe('Did you mean database?');
  });
});

function digestOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}
