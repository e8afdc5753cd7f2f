import { lowLevel, SCRIPT_FILE } from '../../temporary-project.js';
import type { LintCase } from '../lint-case.js';
import { workflow } from '../lint-case.js';

const SCHEMA =
  'input_schema: { type: object, required: [id, tags], properties: { id: { type: string }, note: { type: string }, dry: { type: boolean }, tags: { type: array, items: { type: string } } } }';

const script = (texts: string) => ({
  ...SCRIPT_FILE,
  ...lowLevel('op.two', SCHEMA, `implementation: { kind: script, script: { path: scripts/any.mjs, ${texts} } }`),
});
const calling = (expression: string, ...more: string[]) => ({
  ...lowLevel(
    'op.two',
    `implementation: { kind: script, script: { path: scripts/any.mjs, args: [], ${more.join(', ')} } }`,
  ),
  ...workflow('steps: [{ id: one, call: op.two }]', `output: { a: ▶"\${{ ${expression} }}" }`),
});

/** What scripts receive, and what they print. */
export const SCRIPT_TEXT_CASES: LintCase[] = [
  {
    code: 'lint.unknown_field',
    name: 'an argument of no input',
    files: script('args: [▶"${{ environment.region }}"]'),
  },
  {
    code: 'lint.undeclared_field',
    name: 'an argument of an input that is not listed',
    files: script('args: [▶"${{ input.idd }}"]'),
  },
  { code: 'lint.not_text', name: 'a list as an argument', files: script('args: [▶"${{ input.tags }}"]') },
  {
    code: 'lint.not_text',
    name: 'a list in a loop',
    files: script('args: [{ each: "[input.tags]", as: tag, then: [▶"${{ tag }}"] }]'),
  },
  { code: 'lint.not_text', name: 'a map on stdin', files: script('args: [], stdin: ▶"${{ environment.vars }}"') },
  { code: 'lint.not_text', name: 'a list in a variable', files: script('env: { TAGS: ▶"${{ input.tags }}" }') },
  { code: 'lint.not_boolean', name: 'a text as a condition', files: script('args: [{ if: ▶input.id, then: [-x] }]') },
  {
    code: 'lint.not_a_list',
    name: 'a text as a list',
    files: script('args: [{ each: ▶input.id, as: tag, then: [-x] }]'),
  },
  {
    code: 'lint.optional_field',
    name: 'computed with what may be absent',
    files: script('args: [▶"${{ input.note + input.id }}"]'),
  },
  {
    code: 'lint.optional_field',
    name: 'the opposite of what may be absent',
    files: script('args: [{ if: ▶"!input.dry", then: [-x] }]'),
  },
  {
    code: 'lint.optional_field',
    name: 'what may be absent by its plain name, which leaves the item out',
    files: script(
      'args: ["${{ input.note }}", { if: input.dry, then: ["${{ input.note }}x"] }], stdin: "${{ input.note }}"',
    ),
  },
  {
    code: 'lint.optional_field',
    name: 'behind a condition that asks for it',
    files: script('args: [{ if: has(input.note), then: ["${{ input.note + input.id }}"] }]'),
  },
  {
    code: 'lint.not_text',
    name: 'the items of a list',
    files: script('args: [{ each: input.tags, as: tag, then: ["--tag=${{ tag }}"] }]'),
  },
  {
    code: 'lint.text_not_evaluated',
    name: 'arguments that are evaluated',
    files: script('args: ["${{ input.id }}"], env: { A: "env:TOKEN", B: "${{ input.id }}" }'),
  },
  { code: 'lint.text_not_evaluated', name: 'a variable of no shell', files: script('env: { A: ▶"$HOME" }') },
  { code: 'lint.unknown_field', name: 'of a text', files: calling('steps.one.output.txt') },
  { code: 'lint.unknown_field', name: 'of lines', files: calling('steps.one.output.text', 'output: lines') },
  { code: 'lint.type_mismatch', name: 'of nothing', files: calling('steps.one.output.text', 'output: none') },
];
