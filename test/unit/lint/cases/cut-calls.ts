import type { ProjectFiles } from '../../../fixtures/project-folder.js';
import { lowLevel, SCRIPT } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const pays = lowLevel('op.pay', 'effects: write_additive', SCRIPT);
const slow = lowLevel(
  'op.slow',
  'effects: destructive',
  'implementation: { kind: script, script: { path: scripts/any.mjs, timeout_sec: 300 } }',
);
const read = 'call: op.read, with: { id: x }';

const child = (call: string): ProjectFiles => ({
  'registry/high-level/child.yaml': `id: child\ntype: workflow\nversion: 1\nsummary: One that is called.\nsteps: [{ id: inner, ${call} }]\n`,
});

const cut = (name: string, steps: string, ...files: ProjectFiles[]): LintCase => ({
  code: 'lint.call_cut',
  name,
  files: Object.assign({}, pays, slow, ...files, workflow(`steps: [${steps}]`)) as ProjectFiles,
});
const race = (branch: string): string => `{ id: r, race: { a: { ${branch} }, b: { wait: 1h } } }`;

const idle = (name: string, steps: string): LintCase => ({ ...cut(name, steps), code: 'lint.cut_idle' });

/** Calls that must not be interrupted, in places where they may be. */
export const CUT_CASES: LintCase[] = [
  cut('in a race', race('call: ▶op.pay')),
  cut('deep in a race', race('steps: [{ id: c, switch: [{ if: "input.x", steps: [{ id: p, call: ▶op.pay }] }] }]')),
  cut('in a handler in a race', race(`${read}, on_error: [{ steps: [{ id: p, call: ▶op.pay }] }]`)),
  cut(
    'where a failure beside it cancels',
    '{ id: p, on_failure: cancel, parallel: { a: { call: ▶op.pay }, b: { wait: 1h } } }',
  ),
  cut(
    'in items at once that cancel each other',
    '{ id: l, foreach: input.list, as: n, max_parallel: 3, on_failure: cancel, steps: [{ id: p, call: ▶op.pay }] }',
  ),
  cut('in a group with less time', '{ id: g, timeout: 30s, steps: [{ id: p, call: ▶op.pay }] }'),
  cut('by its own time-out', '{ id: p, call: ▶op.slow, timeout: 20s }'),
  cut('in a workflow that is called in a race', race('call: ▶child'), child('call: op.pay')),
  cut('in a race in a clean-up', `{ id: g, steps: [{ id: a, ${read} }], finally: [${race('call: ▶op.pay')}] }`),
  cut(
    'allowed, or nothing is lost',
    `${race('call: op.pay, cut: allowed')}, { id: s, race: { c: { ${read} }, d: { wait: 1h } } }`,
  ),
  cut('a race of one', '{ id: r, race: { a: { call: op.pay } } }'),
  cut('a race that called workflows lose', race('call: child'), child('call: op.pay, cut: allowed')),
  cut('others finish', '{ id: p, on_failure: finish, parallel: { a: { call: op.pay }, b: { wait: 1h } } }'),
  cut(
    'one item after the other',
    '{ id: l, foreach: input.list, as: n, on_failure: cancel, steps: [{ id: p, call: op.pay }] }',
  ),
  cut(
    'time enough',
    '{ id: g, timeout: 10m, steps: [{ id: p, call: op.slow, timeout: 5m }, { id: q, call: op.pay, timeout: 20s }] }',
  ),
  cut('a clean-up in a race is not cut', race(`${read}, finally: [{ id: p, call: op.pay }]`)),
  cut(
    'what handles a time-out comes after it',
    `{ id: g, timeout: 5s, ${read}, on_error: [{ steps: [{ id: p, call: op.pay }] }] }`,
  ),
  idle('at a call that reads', `{ id: a, ${read}, ▶cut: allowed }`),
  idle('in a race', race(`${read}, ▶cut: allowed`)),
  idle('at a call that must not be cut', '{ id: a, call: op.pay, cut: allowed }'),
];
