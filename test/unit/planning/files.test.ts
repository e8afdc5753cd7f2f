import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../src/contracts/json.js';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { checkAgainst } from '../../../src/planning/input/schemas.js';
import type { ProjectFiles } from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE, temporaryProject } from '../temporary-project.js';

const FILE = { $file: 'a'.repeat(64), name: 'a', bytes: 1, media_type: 'text/plain' };
const TAKES = 'input_schema: { type: object, required: [file], properties: { file: { type: object, format: file } } }';
const script = (args: string) =>
  `implementation: { kind: script, script: { path: scripts/any.mjs, args: ${args}, output: none } }`;
const MAKE = {
  ...SCRIPT_FILE,
  ...lowLevel(
    'f.make',
    'output_files: { page: "*.html", logs: { glob: "**/*.log", many: true } }',
    script('["{output_dir}"]'),
  ),
  ...lowLevel('f.read', TAKES, script('["${{ input.file }}"]')),
};
const flow = (steps: string): ProjectFiles => ({
  'registry/high-level/flow.yaml': `id: flow\ntype: workflow\nversion: 1\nsummary: A test.\nsteps:\n${steps}`,
});

describe('a plan', () => {
  test('states the files of a contract in one form, and which inputs may be files', () => {
    const { plan } = resolved(MAKE, 'f.make');
    expect(plan.operations['f.make']?.output_files).toEqual({
      page: { glob: '*.html' },
      logs: { glob: '**/*.log', many: true },
    });
    expect(plan.files).toEqual({});
    expect(resolved(MAKE, 'f.read').plan.files).toEqual({ input: true, at: [['file']] });
    const policy =
      'format: 1\nproject: p\nenvironments: { dev: {} }\npolicy: { max_file: 2KiB, max_task_files: 1MB }\n';
    expect(resolved({ ...MAKE, 'ability.yaml': policy }, 'f.make').plan.files).toEqual({
      file_bytes: 2048,
      task_bytes: 1_000_000,
    });
  });

  test('contains nothing about files if none are made or required, whatever the policy', () => {
    const policy = 'format: 1\nproject: p\nenvironments: { dev: {} }\npolicy: { max_file: 2KiB }\n';
    const { plan } = resolved({ ...SCRIPT_FILE, ...lowLevel('f.plain', SCRIPT), 'ability.yaml': policy }, 'f.plain');
    expect([Object.hasOwn(plan, 'files'), Object.hasOwn(plan.operations['f.plain'] ?? {}, 'output_files')]).toEqual([
      false,
      false,
    ]);
  });

  test.each([
    ['a folder whose files have no names', [script('["{output_dir}"]')], /names no file that it leaves/],
    ['a path that leads out', ['output_files: { a: "../*" }', script('["{output_dir}"]')], /has a part that is empty/],
    ['a name that CEL cannot read', ['output_files: { a-b: "*" }', script('["{output_dir}"]')], /The name of a file/],
    [
      'the files of a HTTP call',
      ['output_files: { a: "*" }', 'implementation: { kind: api, api: { path: / } }'],
      /leaves no files but its answer|no endpoint/,
    ],
  ])('refuses %s', (_, lines, message) => {
    const error = errorOf(() => resolved({ ...SCRIPT_FILE, ...lowLevel('f.wrong', ...lines) }, 'f.wrong'));
    expect(error?.message).toMatch(message);
  });
});

describe('a schema with `format: file`', () => {
  const check = (schema: JsonObject, value: Json): string | undefined => {
    try {
      checkAgainst(schema, value, { code: 'input.invalid', what: 'It' });
      return undefined;
    } catch (error) {
      return String(error);
    }
  };

  test('requires a complete file value', () => {
    const schema = { type: 'object', properties: { f: { type: ['object', 'null'], format: 'file' } } };
    expect([check(schema, { f: FILE }), check(schema, { f: null })]).toEqual([undefined, undefined]);
    expect(check(schema, { f: { $file: 'x' } })).toContain('`f` must be a file');
    expect(check({ format: 'file' }, 'text')).toContain('must be a file');
  });

  test('is a note for people if the value is a text, and ordinary data elsewhere', () => {
    expect(check({ type: 'string', format: 'file' }, 'a.txt')).toBeUndefined();
    expect(check({ type: 'object', default: { format: 'file' } }, { any: 1 })).toBeUndefined();
  });
});

describe('lint', () => {
  const codes = (files: ProjectFiles) =>
    lintProject(new RegistryLoader(temporaryProject({ ...MAKE, ...files }).root), {})
      .findings.filter(({ code }) => code !== 'lint.unused_implementation')
      .map(({ code, message }) => `${code}: ${message}`);

  test('reports nothing for files that are passed on', () => {
    const steps =
      '  - { id: make, call: f.make }\n  - { id: read, call: f.read, with: { file: "${{ steps.make.files.page }}" } }\n' +
      '  - { id: all, foreach: steps.make.files.logs, as: log, steps: [{ id: one, call: f.read, with: { file: "${{ log }}" } }] }';
    expect(codes(flow(steps))).toEqual([]);
  });

  test.each([
    ['a name that the contract does not have', '${{ steps.make.files.pag }}', /pag/],
    ['the name of a file in place of the file', '${{ steps.make.files.page.name }}', /file/],
    ['many files where one belongs', '${{ steps.make.files.logs }}', /file/],
  ])('reports %s', (_, value, message) => {
    const steps = `  - { id: make, call: f.make }\n  - { id: read, call: f.read, with: { file: "${value}" } }`;
    const found = codes(flow(steps));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(message);
  });
});
