import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const INPUT =
  'input_schema: { type: object, required: [name, rows, size], additionalProperties: false, properties: { name: { type: string }, note: { type: string }, size: { type: integer }, rows: { type: array, items: { type: object, required: [id], properties: { id: { type: string } } } }, stage: { enum: [dev, prod] }, place: { type: object, properties: { x: { type: integer } } } } }';

const called = '{ id: one, call: op.read, with: { id: x } }';

/** A workflow with a closed input, and a call whose output others read. */
const flow = (...lines: string[]) => workflow(INPUT, ...lines);

/** A step that evaluates an expression. */
const look = (expression: string) => `steps: [${called}, { id: two, let: { it: "\${{ ${expression} }}" } }]`;
const lookMarked = (expression: string) => `steps: [${called}, { id: two, let: { it: ▶"\${{ ${expression} }}" } }]`;

const when = (condition: string) => `steps: [{ id: one, if: ${condition}, call: op.read, with: { id: x } }]`;

const hook = (expression: string) => ({
  'registry/hooks/PreAbilityCall.yaml': `hooks:\n  - { id: guard, handler: { expression: { deny_if: ${expression} } } }\n`,
});

type Row = [code: string, name: string, files: LintCase['files']];

const ROWS: Row[] = [
  ['unknown_field', 'of the input', flow(lookMarked('input.nam'))],
  [
    'unknown_field',
    'of an item of a list',
    workflow(
      'input_schema: { type: object, required: [rows], properties: { rows: { type: array, items: { type: object, required: [it], properties: { it: { type: object, additionalProperties: false, properties: { id: { type: string } } } } } } } }',
      'steps: [{ id: all, foreach: input.rows, as: row, steps: [{ id: two, let: { it: ▶"${{ row.it.idd }}" } }] }]',
    ),
  ],
  [
    'unknown_field',
    'of an item in the label of a loop',
    workflow(
      'input_schema: { type: object, required: [rows], properties: { rows: { type: array, items: { type: object, additionalProperties: false, properties: { id: { type: string } } } } } }',
      'steps: [{ id: all, foreach: input.rows, as: row, label: ▶"${{ row.idd }}", steps: [{ id: two, let: { it: 1 } }] }]',
    ),
  ],
  [
    'unknown_field',
    'of a parallel, an approval and a let',
    workflow(
      'steps:',
      '  - { id: both, parallel: { left: { let: { a: 1 } } } }',
      '  - { id: approval, approval: { title: Go?, fields: { ticket: { type: string } } } }',
      '  - id: two',
      '    let:',
      '      a: ▶${{ steps.both.output.right }}',
      '      b: ▶${{ steps.both.output.left.b }}',
      '      c: ▶${{ steps.approval.output.fields.tiket }}',
    ),
  ],
  ['unknown_field', 'a variable that no environment has', flow(lookMarked('environment.vars.url'))],
  ['unknown_field', 'in a guard', hook('▶environment.portected')],
  [
    'unknown_field',
    'fields that other keywords of the schema allow',
    workflow(
      'input_schema: { type: object, properties: { kind: { type: string } }, patternProperties: { "^x_": { type: string } } }',
      look('input.x_more'),
    ),
  ],
  ['undeclared_field', 'of an output', flow(lookMarked('steps.one.output.statuss'))],
  ['undeclared_field', 'in has(), and nearly another one', flow(lookMarked('has(input.notes)'))],
  ['undeclared_field', 'read with a question mark', flow(lookMarked('input.?nott.orValue(0)'))],
  ['undeclared_field', 'as a key', flow(lookMarked("'siz' in input"))],
  [
    'undeclared_field',
    'of a schema that is explicitly open',
    {
      ...lowLevel(
        'op.open',
        SCRIPT,
        'output_schema: { type: object, properties: { a: { type: string } }, additionalProperties: true }',
      ),
      ...workflow('steps: [{ id: one, call: op.open }, { id: two, let: { it: "${{ steps.one.output.b }}" } }]'),
    },
  ],
  [
    'undeclared_field',
    'in has(), of a schema that may have it',
    {
      ...lowLevel('op.open', SCRIPT, 'output_schema: { type: object, properties: { alpha: { type: string } } }'),
      ...workflow('steps: [{ id: one, call: op.open }, { id: two, let: { it: "${{ has(steps.one.output.beta) }}" } }]'),
    },
  ],
  ['optional_field', 'of the input', flow(lookMarked('input.note'))],
  ['optional_field', 'of an output with required fields', flow(lookMarked('steps.one.output.count + 1'))],
  ['optional_field', 'of an object that may be missing itself', flow(lookMarked('has(input.place.x)'))],
  ['optional_field', 'checked on the wrong side', flow(lookMarked("has(input.note) ? '' : input.note"))],
  [
    'optional_field',
    'checked in every way',
    flow(
      `steps:`,
      `  - ${called}`,
      '  - { id: a, let: { it: "${{ has(input.note) && input.note != \'\' }}" } }',
      '  - { id: b, let: { it: "${{ !has(input.note) || input.note == \'\' }}" } }',
      '  - { id: c, let: { it: "${{ has(input.note) ? input.note : \'\' }}" } }',
      '  - { id: d, let: { it: "${{ input.?note.orValue(\'\') }}", or: "${{ input.?note }}" } }',
      '  - { id: e, if: has(input.note), let: { it: "${{ input.note }}" } }',
      '  - { id: f, switch: [{ if: "!has(input.note)", steps: [{ id: g, let: {} }] }, { else: [{ id: h, let: { it: "${{ input.note }}" } }] }] }',
      '  - { id: i, if: "!has(input.note)", fail: { code: no_note, message: No note } }',
      '  - { id: j, let: { it: "${{ input.note }}" } }',
    ),
  ],
  [
    'optional_field',
    'with a default',
    workflow(
      'input_schema: { type: object, properties: { size: { type: integer, default: 3 } } }',
      look('input.size + 1'),
    ),
  ],
  ['type_mismatch', 'a text and a number', flow(lookMarked("'n-' + input.size"))],
  ['type_mismatch', 'the size of a number', flow(lookMarked('size(input.size)'))],
  ['type_mismatch', 'a text compared with a moment', flow(when('▶input.name < now()'))],
  ['type_mismatch', 'a method that texts have', flow(lookMarked("input.size.startsWith('1')"))],
  ['type_mismatch', 'a field of a text', flow(lookMarked('input.name.first'))],
  ['type_mismatch', 'a macro over a text', flow(lookMarked('input.name.map(c, c)'))],
  ['type_mismatch', 'no truthiness', flow(lookMarked('input.size && true'))],
  [
    'type_mismatch',
    'a field of null',
    flow('steps: [{ id: pause, wait: 1s }, { id: two, let: { it: ▶"${{ steps.pause.output.x }}" } }]'),
  ],
  [
    'type_mismatch',
    'ints and doubles mix, and texts are made',
    workflow(
      'input_schema: { type: object, required: [n, d, t, any], properties: { n: { type: integer }, d: { type: number }, t: { type: string }, any: {} } }',
      'steps:',
      '  - { id: a, let: { it: "${{ input.n + input.d * 2.5 }}", b: "${{ input.n < 1.5 }}" } }',
      '  - { id: c, let: { it: "${{ \'n-\' + string(input.n) }}", d: "${{ timestamp(input.t) < now() }}" } }',
      '  - { id: e, let: { it: "${{ input.any + 1 }}", f: "${{ input.t.split(\',\').map(x, x.size()) }}", g: "${{ input.t.matches(\'^a\') }}" } }',
      '  - { id: h, let: { it: "${{ [1] + [input.n] }}", i: "${{ input.any.x.y[0] }}", j: "${{ {\'a\': 1}.a + 1 }}" } }',
    ),
  ],
  ['never_equal', 'a status', flow(lookMarked("steps.one.status == 'suceeded'"))],
  ['never_equal', 'a choice of an output', flow(when('▶steps.one.output.status != "ok"'))],
  ['never_equal', 'a number and a text', flow(lookMarked("input.size == '3'"))],
  ['never_equal', 'an environment that does not exist', flow(when('▶environment.name == "production"'))],
  [
    'never_equal',
    'one of two texts',
    flow(
      `steps: [${called}, { id: two, let: { it: "\${{ steps.one.output.status == 'success' || environment.name == 'prod' }}" } }]`,
    ),
  ],
  [
    'never_equal',
    'values that may be null, or of two types',
    workflow(
      'input_schema: { type: object, required: [a, b], properties: { a: { type: [integer, string] }, b: { type: number } } }',
      'steps: [{ id: one, let: { a: "${{ input.a == 1 }}", b: "${{ input.b == 2 }}", c: "${{ input.b != null }}", d: "${{ task.key == null }}" } }]',
    ),
  ],
  ['constant_condition', 'of a step', flow(when('▶false'))],
  ['constant_condition', 'of a case', flow(`steps: [{ id: pick, switch: [{ if: ▶"1 < 2", steps: [${called}] }] }]`)],
  [
    'constant_condition',
    'a repeat that takes all its turns, and the clock',
    flow(
      'steps: [{ id: again, repeat: { until: "false", max: 3 }, steps: [{ id: x, let: {} }], on_error: [{ errors: [repeat.exhausted] }] }, { id: late, if: "now() > timestamp(\'2030-01-01T00:00:00Z\')", let: {} }]',
    ),
  ],
  ['not_boolean', 'a list', flow(when('▶input.rows'))],
  [
    'not_boolean',
    'a text of an output',
    flow(
      `steps: [${called}, { id: two, repeat: { until: ▶steps.one.output.status, max: 3 }, steps: [{ id: x, let: {} }] }]`,
    ),
  ],
  [
    'not_boolean',
    'an optional, and a wait for a number',
    flow('steps: [{ id: a, if: ▶input.?note, let: {} }, { id: b, wait: { until: ▶input.size } }]'),
  ],
  ['not_boolean', 'in a guard', hook('▶effects')],
  [
    'not_boolean',
    'values that may be booleans',
    workflow(
      'input_schema: { type: object, required: [ok, any, at], properties: { ok: { type: boolean }, any: {}, at: { type: string } } }',
      'steps: [{ id: a, if: input.ok, let: {} }, { id: b, if: input.any, let: {} }, { id: c, wait: { until: timestamp(input.at) } }, { id: d, wait: { signal: go, if: signal.ok } }]',
    ),
  ],
  ['not_a_list', 'a map', flow(`steps: [{ id: all, foreach: ▶steps, as: s, steps: [${called}] }]`)],
  ['not_a_list', 'a number', flow(`steps: [{ id: all, foreach: ▶input.size, as: s, steps: [${called}] }]`)],
  [
    'not_a_list',
    'an output of a foreach, and a comprehension over a map',
    flow(
      `steps: [{ id: all, foreach: input.rows, as: row, steps: [${called}] }, { id: more, foreach: "{'a': 1}.map(k, k)", as: k, steps: [{ id: x, let: {} }] }, { id: again, foreach: steps.all.output, as: out, steps: [{ id: y, let: {} }] }]`,
    ),
  ],
  ['not_text', 'a list', flow(`steps: [{ id: one, call: op.read, with: { id: ▶"rows \${{ input.rows }}" } }]`)],
  ['not_text', 'the title of an approval', flow(`steps: [{ id: one, approval: { title: ▶"\${{ input.rows }}" } }]`)],
  [
    'not_text',
    'a null value',
    flow(`steps: [{ id: w, wait: 1s }, { id: one, approval: { title: ▶"Go \${{ steps.w.output }}" } }]`),
  ],
  [
    'not_text',
    'numbers, booleans and moments',
    flow(
      `steps: [{ id: one, approval: { title: "Go \${{ input.size }} \${{ environment.protected }} \${{ now() }} \${{ task.key }}?" } }]`,
    ),
  ],
  ['not_duration', 'a number', flow(`steps: [{ id: w, wait: ▶"\${{ input.size }}" }]`)],
  [
    'not_duration',
    'of a time-out and a retry',
    flow(
      `steps: [{ id: w, call: op.read, with: { id: x }, timeout: ▶"\${{ input.rows }}", retry: { first: ▶"\${{ input.size * 2 }}" } }]`,
    ),
  ],
  [
    'not_duration',
    'a number with a unit, and a text',
    flow(
      `steps: [{ id: w, wait: "\${{ input.size }}s" }, { id: v, wait: "\${{ input.name }}" }, { id: u, wait: "\${{ duration('3s') }}" }]`,
    ),
  ],
  [
    'not_number',
    'a text',
    flow(`steps: [{ id: all, foreach: input.rows, as: row, max_parallel: ▶"\${{ input.name }}", steps: [${called}] }]`),
  ],
  [
    'not_number',
    'of turns',
    flow(`steps: [{ id: all, repeat: { until: "now() > now()", max: ▶"\${{ input.rows }}" }, steps: [${called}] }]`),
  ],
  [
    'not_number',
    'a size',
    flow(
      `steps: [{ id: all, foreach: input.rows, as: row, max_parallel: "\${{ size(input.rows) + 1 }}", steps: [${called}] }]`,
    ),
  ],
];

/** Expressions that cannot work, or do not test what they seem to. */
export const EXPRESSION_CASES: LintCase[] = ROWS.map(([code, name, files]) => ({ code: `lint.${code}`, name, files }));
