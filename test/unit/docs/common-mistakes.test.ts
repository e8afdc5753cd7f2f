import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../../../src/contracts/findings.js';
import { RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { lowLevel, SCRIPT, SCRIPT_FILE, temporaryProject } from '../temporary-project.js';

const page = readFileSync(new URL('../../../docs/common-mistakes.md', import.meta.url), 'utf8');

/** Steps, or the `script` of an implementation if the block states so. */
const examples = [...page.matchAll(/^```yaml (right|wrong)( script)?( \S+)?\n([\s\S]*?)^```$/gm)].map(
  ([, kind = '', script, code = '', steps = '']) => ({
    kind,
    isScript: script !== undefined,
    code: code.trim(),
    steps,
    title: steps.split('\n', 1)[0] ?? '',
  }),
);

const INPUT = 'input_schema: { type: object, required: [user_id], properties: { user_id: { type: string } } }';

const OPERATIONS = {
  ...lowLevel('db.write.user_row', 'effects: write_idempotent', INPUT, SCRIPT),
  ...lowLevel('db.delete.user_row', 'effects: write_idempotent', INPUT, SCRIPT),
  ...lowLevel(
    'db.read.user_row',
    INPUT,
    'output_schema: { type: object, required: [found], properties: { found: { type: boolean } } }',
    SCRIPT,
  ),
  ...SCRIPT_FILE,
};

const SCRIPT_INPUT =
  'input_schema: { type: object, required: [host, tags], properties: { host: { type: string }, tags: { type: array, items: { type: string } }, note: { type: string }, quiet: { type: boolean } } }';

function lint({ steps, isScript }: Pick<(typeof examples)[number], 'steps' | 'isScript'>): Finding[] {
  return isScript ? lintScript(steps) : lintSteps(steps);
}

function lintScript(script: string): Finding[] {
  const lines = script.split('\n').map((line) => `    ${line}`);
  const files = lowLevel(
    'op',
    SCRIPT_INPUT,
    'implementation:',
    '  kind: script',
    '  script:',
    '    path: scripts/any.mjs',
    ...lines,
  );
  return lintProject(new RegistryLoader(temporaryProject({ ...files, ...SCRIPT_FILE }).root)).findings;
}

function lintSteps(steps: string): Finding[] {
  const { root } = temporaryProject({
    ...OPERATIONS,
    'registry/high-level/flow.yaml': [
      'id: flow',
      'type: workflow',
      'version: 1',
      'summary: A workflow of the page.',
      'input_schema: { type: object, required: [build_id], properties: { build_id: { type: string } } }',
      'steps:',
      ...steps.split('\n').map((line) => `  ${line}`),
    ].join('\n'),
  });
  return lintProject(new RegistryLoader(root)).findings;
}

describe('docs/common-mistakes.md', () => {
  test('has pairs of examples', () => {
    expect(examples.filter(({ kind }) => kind === 'wrong').length).toBeGreaterThan(15);
    expect(examples.map(({ kind }) => kind)).toEqual(examples.map((_, index) => (index % 2 === 0 ? 'wrong' : 'right')));
  });

  test.each(examples.filter(({ kind }) => kind === 'wrong'))('the wrong form is reported: $code: $title', (example) => {
    const found = lint(example).filter((finding) => finding.code === example.code);
    const file = example.isScript ? 'registry/low-level/op.yaml' : 'registry/high-level/flow.yaml';
    expect(found).not.toEqual([]);
    expect(found.every(({ location }) => location.file === file && location.line > 6)).toBe(true);
  });

  test.each(examples.filter(({ kind }) => kind === 'right'))('the right form is not reported: $title', (example) => {
    expect(lint(example)).toEqual([]);
  });
});
