import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const steps = (...lines: string[]) => workflow('steps:', ...lines.map((line) => `  ${line}`));

/** YAML that means something other than it seems to, and schemas that constrain nothing. */
export const YAML_CASES: LintCase[] = [
  {
    code: 'lint.yaml_comment_cuts',
    name: 'a number of an issue',
    files: workflow('summary: ▶Mends #12 and others', 'steps: [{ id: one, let: {} }]'),
  },
  {
    code: 'lint.yaml_comment_cuts',
    name: 'inside a bracket',
    files: steps('- id: ask', '  approval:', '    title: ▶Release (see # 12)'),
  },
  {
    code: 'lint.yaml_comment_cuts',
    name: 'a comment, and a # in quotes',
    files: workflow('summary: "Mends #12" # and others', 'steps: [{ id: one, let: { a: x#12 } }]  # nothing more'),
  },
  {
    code: 'lint.yaml_template_in_comment',
    name: 'in a title',
    files: steps('- id: ask', '  approval:', '    title: ▶Release # ${{ input.build }}'),
  },
  {
    code: 'lint.yaml_template_in_comment',
    name: 'in a list',
    files: steps('- id: one', '  let:', '    names:', '      - ▶build #${{ input.build }}'),
  },
  {
    code: 'lint.yaml_template_in_comment',
    name: 'a whole line that is a comment',
    files: steps('- id: one', '  # let: { a: "${{ input.b }}" }', '  let: { a: b }'),
  },
  { code: 'lint.yaml_flow_map', name: 'a colon without a blank', files: steps('- id: one', '  let: { ▶a:1 }') },
  { code: 'lint.yaml_flow_map', name: 'a list in braces', files: steps('- id: one', '  let: { names: { ▶a, ▶b } }') },
  {
    code: 'lint.yaml_flow_map',
    name: 'an explicit null, and a list in brackets',
    files: steps('- id: one', '  let: { a: null, b: ~, c: [d, e] }'),
  },
  { code: 'lint.yaml_number', name: 'a version', files: workflow('version: ▶1.10', 'steps: [{ id: one, let: {} }]') },
  {
    code: 'lint.yaml_number',
    name: 'a version with a zero, and an exponent',
    files: steps('- id: one', '  let: { version: ▶1.10, most: ▶1e3 }'),
  },
  {
    code: 'lint.yaml_number',
    name: 'plain numbers, and texts',
    files: workflow('version: "1.10"', 'steps: [{ id: one, let: { a: 0, b: -12.5, c: 1.1.0, d: 1_000 } }]'),
  },
  { code: 'lint.yaml_boolean_word', name: 'yes', files: steps('- id: one', '  let: { sure: ▶yes }') },
  {
    code: 'lint.yaml_boolean_word',
    name: 'off, in a list',
    files: steps('- id: one', '  let: { lamps: [▶off, true] }'),
  },
  {
    code: 'lint.yaml_boolean_word',
    name: 'booleans, and words in quotes',
    files: steps('- id: one', '  let: { sure: true, word: "yes", yes: 1 }'),
  },
  {
    code: 'lint.schema_keyword',
    name: 'R-000-29: a slip',
    files: lowLevel(
      'op.two',
      'input_schema: { type: object, ▶requird: [a], properties: { a: { type: string } } }',
      SCRIPT,
    ),
  },
  {
    code: 'lint.schema_keyword',
    name: 'deep inside',
    files: lowLevel(
      'op.two',
      'output_schema:',
      '  oneOf:',
      '    - { type: object, properties: { a: { type: array, items: { type: string, ▶maxLenght: 3 } } } }',
      SCRIPT,
    ),
  },
  {
    code: 'lint.schema_keyword',
    name: 'a note of one’s own, and a property of that name',
    files: lowLevel(
      'op.two',
      'input_schema: { type: object, x-note: mine, properties: { requird: { type: string } } }',
      SCRIPT,
    ),
  },
  {
    code: 'lint.schema_required_unknown',
    name: 'a slip',
    files: lowLevel(
      'op.two',
      'input_schema: { type: object, required: [▶user], properties: { user_id: { type: string } } }',
      SCRIPT,
    ),
  },
  {
    code: 'lint.schema_required_unknown',
    name: 'in an item',
    files: lowLevel(
      'op.two',
      'output_schema: { type: array, items: { type: object, required: [a, ▶b], properties: { a: { type: string } } } }',
      SCRIPT,
    ),
  },
  {
    code: 'lint.schema_required_unknown',
    name: 'described around a choice',
    files: lowLevel(
      'op.two',
      'input_schema: { type: object, properties: { a: { type: string }, b: { type: string } }, oneOf: [{ required: [a] }, { required: [b] }] }',
      SCRIPT,
    ),
  },
];
