import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const call = (id: string, more = '') => `{ id: ${id}, call: op.read, with: { id: x }${more} }`;
const read = (id: string, of: string, more = '') =>
  `{ id: ${id}, call: op.read, with: { id: "\${{ steps.${of}.output.status }}" }${more} }`;
const readMarked = (id: string, of: string, more = '') =>
  `{ id: ${id}, call: op.read, with: { id: ▶"\${{ steps.${of}.output.status }}" }${more} }`;
const let_ = (id: string, expression: string) => `{ id: ${id}, let: { it: "\${{ ${expression} }}" } }`;
const letMarked = (id: string, expression: string) => `{ id: ${id}, let: { it: ▶"\${{ ${expression} }}" } }`;

/** A loop over three numbers. */
const each = (inner: string, more = '') => `{ id: each, foreach: [1, 2, 3], as: n, ${more}steps: [${inner}] }`;
const SUM = 'steps.add.output == null ? 0 : steps.add.output.it';

const steps = (...list: string[]) => workflow('steps:', ...list.map((step) => `  - ${step}`));

type Row = [code: string, name: string, files: LintCase['files']];

const ROWS: Row[] = [
  ['step_not_run', 'one that stands behind', steps(readMarked('a', 'b'), call('b'))],
  ['step_not_run', 'itself', steps(readMarked('a', 'a'))],
  ['step_not_run', 'the group around it', steps(`{ id: g, steps: [${readMarked('a', 'g')}] }`)],
  [
    'step_not_run',
    'a clean-up, in the output',
    workflow(`steps: [${call('a')}]`, `finally: [${call('b')}]`, 'output: ▶${{ steps.b.output.status }}'),
  ],
  [
    'step_not_run',
    'of another case',
    steps(
      `{ id: pick, switch: [{ if: environment.protected, steps: [${call('a')}] }, { else: [${readMarked('b', 'a')}] }] }`,
    ),
  ],
  [
    'step_not_run',
    'the turn before, in a loop',
    steps(
      `{ id: g, repeat: { until: "steps.b.output.status == 'success'", max: 3 }, steps: [{ id: a, if: "steps.b.status == 'succeeded'", call: op.read, with: { id: "\${{ steps.b.output.status }}" } }, ${call('b')}] }`,
    ),
  ],
  [
    'step_not_run',
    'itself, in attempts that are no turns',
    steps(`{ id: g, retry: {}, steps: [${readMarked('a', 'a')}] }`),
  ],
  [
    'step_not_run',
    'the group around it, in a loop',
    steps(each(`{ id: g, steps: [${readMarked('a', 'g')}, ${call('b')}] }`)),
  ],
  [
    'step_not_run',
    'one that stands behind, in items at once',
    steps(each(`${readMarked('a', 'b')}, ${call('b')}`, 'max_parallel: 2, ')),
  ],
  [
    'own_turn_at_once',
    'with a number, and with one that the run gives',
    steps(
      each(letMarked('add', `(${SUM}) + n`), 'max_parallel: 2, '),
      `{ id: lanes, foreach: [1], as: m, max_parallel: "\${{ size(environment.name) }}", steps: [${letMarked('b', 'steps.b.status')}] }`,
    ),
  ],
  [
    'own_turn_at_once',
    'in a condition, under a group',
    steps(each(`{ id: g, steps: [{ id: a, if: ▶steps.a.output == null, let: {} }] }`, 'max_parallel: 2, ')),
  ],
  [
    'own_turn_at_once',
    'one item after the other, in an inner loop, and in a handler and an undo',
    {
      ...lowLevel('op.put', 'effects: write_idempotent', SCRIPT),
      ...steps(
        each(let_('add', `(${SUM}) + n`), 'max_parallel: 1, '),
        `{ id: outer, foreach: [1], as: m, max_parallel: 2, steps: [{ id: r, index: i, repeat: { until: i == 3 }, steps: [${let_('b', 'steps.b.output == null ? 0 : steps.b.output.it')}] }] }`,
        `{ id: apart, foreach: [1], as: o, max_parallel: 2, steps: [${call('c', ', on_error: [{ output: "${{ steps.c.error.code }}" }], undo: { call: op.put, with: { id: "${{ steps.c.output.status }}" } }')}] }`,
      ),
    },
  ],
  [
    'step_may_not_run',
    'in the first turn',
    steps(
      each(`${letMarked('add', 'steps.add.output.it + n')}, ${readMarked('a', 'b')}, ${call('b')}`),
      `{ id: r, repeat: { until: "steps.c.output.status == 'success'" }, steps: [${readMarked('c', 'c')}] }`,
    ),
  ],
  [
    'step_may_not_run',
    'in the first turn, thought of',
    steps(
      each(let_('add', `(${SUM}) + n`)),
      `{ id: r, index: i, repeat: { until: i == 3 }, steps: [${let_('b', 'i == 0 ? 0 : steps.b.output.it')}, ${read('c', 'd', ', if: i > 0')}, ${call('d')}, ${let_('e', "steps.e.output.?it.orValue('')")}] }`,
    ),
  ],
  ['step_pending', 'itself, in a loop', steps(each('{ id: a, if: "steps.a.status != \'succeeded\'", let: {} }'))],
  [
    'step_not_run',
    'what takes a call back',
    {
      ...lowLevel('op.put', 'effects: write_idempotent', SCRIPT),
      ...steps(call('a', ', undo: { call: op.put, with: { id: "${{ steps.a.output.status }}" } }')),
    },
  ],
  [
    'step_pending',
    'the status of one that stands behind',
    steps(letMarked('a', "steps.b.status == 'succeeded'"), call('b')),
  ],
  ['step_pending', 'its own, in its condition', steps('{ id: a, if: ▶steps.a.error == null, let: {} }')],
  [
    'step_pending',
    'one inside the loop, before its first turn',
    steps(`{ id: g, foreach: ▶steps.a.output, as: x, steps: [{ id: b, let: {} }] }`, call('a')),
  ],
  ['step_pending', 'in its own clean-up', steps(call('a', `, finally: [${let_('b', "steps.a.status == 'failed'")}]`))],
  [
    'step_at_once',
    'of a parallel',
    steps(
      `{ id: p, parallel: { a: { call: op.read, with: { id: x } }, b: { let: { it: ▶"\${{ steps.a.output }}" } } } }`,
    ),
  ],
  [
    'step_at_once',
    'deep in a race',
    steps(`{ id: p, race: { a: { steps: [${call('x')}] }, b: { steps: [${letMarked('y', 'steps.x.status')}] } } }`),
  ],
  [
    'step_at_once',
    'waited for',
    steps(
      `{ id: p, parallel: { a: { call: op.read, with: { id: x } }, b: { steps: [{ id: w, wait: { until: "steps.a.status == 'succeeded'" } }, ${read('y', 'a')}] } } }`,
    ),
  ],
  ['step_may_not_run', 'skipped', steps(call('a', ', if: environment.protected'), readMarked('b', 'a'))],
  [
    'step_may_not_run',
    'in a case',
    steps(`{ id: pick, switch: [{ if: environment.protected, steps: [${call('a')}] }] }`, readMarked('b', 'a')),
  ],
  [
    'step_may_not_run',
    'failed, and gone on',
    steps(
      call('a', ', continue_on_error: true'),
      call('c', ', on_error: [{ errors: [timeout] }]'),
      readMarked('b', 'a'),
      readMarked('d', 'c'),
    ),
  ],
  ['step_may_not_run', 'in a clean-up', workflow(`steps: [${call('a')}]`, `finally: [${readMarked('b', 'a')}]`)],
  [
    'step_may_not_run',
    'the loser of a race',
    steps('{ id: p, race: { a: { call: op.read, with: { id: x } }, w: { wait: 30s } } }', readMarked('b', 'a')),
  ],
  [
    'step_may_not_run',
    'thought of in every way',
    workflow(
      'steps:',
      `  - ${call('a', ', if: environment.protected')}`,
      `  - ${read('b', 'a', ', if: environment.protected')}`,
      `  - ${read('c', 'a', ", if: steps.a.status == 'succeeded'")}`,
      `  - ${let_('d', "steps.a.output.?status.orValue('')")}`,
      `  - ${let_('e', "steps.a.status == 'succeeded' && steps.a.output.status == 'success'")}`,
      `  - ${let_('f', "steps.a.output != null ? steps.a.output.status : ''")}`,
      `  - { id: g, if: environment.protected, steps: [${read('h', 'a')}] }`,
      `  - { id: i, if: "!environment.protected", end: {} }`,
      `  - ${read('j', 'a')}`,
      `  - ${call('k', ', on_error: [{ output: { status: "error" } }]')}`,
      `  - ${read('l', 'k')}`,
      'finally:',
      `  - ${read('m', 'k', ", if: task.status == 'succeeded'")}`,
    ),
  ],
  [
    'unreachable_step',
    'after an end',
    steps(call('a'), '{ id: stop, end: {} }', '{ id: ▶b, let: {} }', '{ id: c, let: {} }'),
  ],
  [
    'unreachable_step',
    'after a switch that always fails',
    steps(
      '{ id: pick, switch: [{ if: environment.protected, steps: [{ id: x, fail: { code: stopped, message: Stopped } }] }, { else: [{ id: y, end: {} }] }] }',
      '{ id: ▶b, let: {} }',
    ),
  ],
  [
    'unreachable_step',
    'inside a group',
    steps(
      '{ id: g, steps: [{ id: x, fail: { code: stopped, message: Stopped } }, { id: ▶y, let: {} }], on_error: [{ errors: [stopped] }] }',
      '{ id: b, let: {} }',
    ),
  ],
  [
    'unreachable_step',
    'under a condition, handled, or in a clean-up',
    workflow(
      'steps:',
      '  - { id: a, if: environment.protected, end: {} }',
      '  - { id: b, fail: { code: stopped, message: Stopped }, on_error: [{ errors: [stopped] }] }',
      '  - { id: c, let: {} }',
      'finally: [{ id: d, fail: { code: bad, message: Bad } }, { id: e, let: {} }]',
    ),
  ],
];

/** Expressions that read steps too early, and steps that never run. */
export const STEP_ORDER_CASES: LintCase[] = ROWS.map(([code, name, files]) => ({ code: `lint.${code}`, name, files }));
