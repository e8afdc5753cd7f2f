import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const STRICT =
  'input_schema: { type: object, required: [id], additionalProperties: false, properties: { id: { type: string, pattern: "^u-" }, how: { enum: [fast, slow] }, tags: { type: array, items: { type: string } }, more: { type: object, required: [a], properties: { a: { type: integer } } } } }';

const INPUT =
  'input_schema: { type: object, required: [n, t], properties: { n: { type: integer }, t: { type: string }, f: { type: number }, o: { type: string } } }';

const OUTPUT =
  'output_schema: { type: object, required: [status], additionalProperties: false, properties: { status: { enum: [success, failure] }, n: { type: integer } } }';

const strict = lowLevel('op.strict', STRICT, SCRIPT);

const calls = (...steps: string[]) => ({
  ...strict,
  ...workflow(INPUT, 'steps:', ...steps.map((step, index) => `  - { id: s${index}, ${step} }`)),
});

const gives = (output: string, ...more: string[]) =>
  workflow(INPUT, OUTPUT, 'steps: [{ id: one, call: op.read, with: { id: x } }]', `output: ${output}`, ...more);

type Row = [code: string, name: string, files: LintCase['files']];

const ROWS: Row[] = [
  ['missing_parameter', 'without `with`', calls('call: ▶op.strict')],
  [
    'missing_parameter',
    'in what takes it back',
    calls('call: op.strict, with: { id: u-1 }, undo: { call: ▶op.strict, with: { how: fast } }'),
  ],
  ['missing_parameter', 'inside a parameter', calls('call: op.strict, with: { id: u-1, more: ▶{} }')],
  [
    'missing_parameter',
    'of a workflow',
    {
      'registry/high-level/child.yaml':
        'id: child\ntype: workflow\nversion: 1\nsummary: A child.\ninput_schema: { type: object, required: [x] }\nsteps: [{ id: a, let: {} }]\n',
      ...workflow('steps: [{ id: one, call: ▶child }]'),
    },
  ],
  [
    'missing_parameter',
    'that an environment supplies, also to what implements it',
    {
      ...lowLevel(
        'op.supplied',
        'input_schema: { type: object, required: [id], properties: { id: { type: string }, size: { type: integer } } }',
        'implementation: { kind: script, script: { path: scripts/any.mjs }, fail_if: input.size > 3 }',
      ),
      'registry/config/c.yaml':
        'abilities:\n  - { id: op.supplied, environments: { dev: { defaults: { id: u-1, size: 3 } } } }\n',
      ...workflow('steps: [{ id: one, call: op.supplied }]'),
    },
  ],
  [
    'missing_parameter',
    'that the implementation supplies, or the schema',
    {
      ...lowLevel(
        'op.supplied',
        'input_schema: { type: object, required: [id, size], properties: { id: { type: string }, size: { type: integer, default: 3 } } }',
        'implementation: { kind: script, script: { path: scripts/any.mjs }, defaults: { id: u-1 } }',
      ),
      ...workflow('steps: [{ id: one, call: op.supplied }]'),
    },
  ],
  ['unknown_parameter', 'near another one', calls('call: op.strict, with: { id: u-1, ▶hov: fast }')],
  ['unknown_parameter', 'with an expression', calls('call: op.strict, with: { id: u-1, ▶other: "${{ input.t }}" }')],
  ['unknown_parameter', 'of a schema that is open', calls('call: op.read, with: { id: u-1, other: "${{ input.t }}" }')],
  ['undeclared_parameter', 'nearly an optional one', calls('call: op.read, with: { id: x, ▶cuont: 3 }')],
  ['undeclared_parameter', 'nearly a needed one', calls('call: op.read, with: { ▶idd: x }')],
  [
    'undeclared_parameter',
    'near one that is given as well',
    calls('call: op.read, with: { id: x, count: 3, counts: [1] }'),
  ],
  ['wrong_parameter', 'of another type', calls('call: op.read, with: { id: x, count: ▶many }')],
  ['wrong_parameter', 'a choice and a pattern', calls('call: op.strict, with: { id: ▶x-1, how: ▶quick }')],
  ['wrong_parameter', 'a number for a text (answers, 52)', calls('call: op.read, with: { id: ▶"${{ input.n }}" }')],
  [
    'wrong_parameter',
    'a text for a number, and in a list',
    calls(
      'call: op.read, with: { id: x, count: ▶"${{ input.t }}" }',
      'call: op.strict, with: { id: u-1, tags: [a, ▶"${{ input.n }}"], more: { a: ▶"a ${{ input.n }}" } }',
    ),
  ],
  ['wrong_parameter', 'one expression for all', calls('call: op.strict, with: ▶"${{ {\'id\': input.n} }}"')],
  [
    'wrong_parameter',
    'a choice of two that are none',
    calls("call: op.strict, with: { id: u-1, how: ▶\"${{ input.n > 3 ? 'quick' : 'lazy' }}\" }"),
  ],
  [
    'wrong_parameter',
    'whatever may fit',
    calls(
      'call: op.read, with: { id: "${{ string(input.n) }}", count: "${{ input.n * 2 }}" }',
      'call: op.read, with: { id: "u-${{ input.n }}", count: "${{ input.n / 2.0 }}" }',
      'call: op.strict, with: { id: "${{ input.t }}", how: "${{ input.n > 3 ? \'slow\' : \'lazy\' }}", tags: "${{ [\'a\'] }}" }',
      'call: op.strict, with: "${{ {\'id\': input.t} }}"',
      'call: op.strict, with: { id: u-1, more: { a: "${{ input.n }}" } }',
      'call: op.strict, with: { id: "${{ input.?o.orValue(\'u-2\') }}", how: "${{ input.t }}" }',
    ),
  ],
  ['output_mismatch', 'a field is missing', gives('▶{ n: 3 }')],
  ['output_mismatch', 'a choice of another word', gives("{ status: ▶\"${{ input.n > 3 ? 'good' : 'bad' }}\" }")],
  [
    'output_mismatch',
    'a name that is not allowed, a literal and a type',
    gives('{ status: ▶done, ▶m: 1, n: ▶"${{ input.t }}" }'),
  ],
  [
    'output_mismatch',
    'of an `end`, and of one expression',
    {
      ...workflow(
        INPUT,
        OUTPUT,
        'steps: [{ id: one, if: input.n > 3, end: { output: { status: ▶skipped } } }]',
        'output: ▶"${{ {\'status\': input.n} }}"',
      ),
    },
  ],
  [
    'output_mismatch',
    'a choice of which one fits',
    gives("\"${{ input.n > 3 ? {'status': 'success'} : {'status': 'failure', 'n': input.n} }}\""),
  ],
  ['output_mismatch', 'an output of a call', gives('{ status: success, n: "${{ size(input.t) }}" }')],
];

/** Calls that their ability refuses, and outputs that violate what the workflow promises. */
export const CALL_CASES: LintCase[] = ROWS.map(([code, name, files]) => ({ code: `lint.${code}`, name, files }));
