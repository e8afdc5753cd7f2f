import { lowLevel } from '../../temporary-project.js';
import { type LintCase, workflow } from '../lint-case.js';

const slow = lowLevel(
  'op.slow',
  'effects: read',
  'implementation: { kind: script, script: { path: scripts/any.mjs, timeout_sec: 300 } }',
);
const late = (name: string, steps: string): LintCase => ({
  code: 'lint.retry_too_late',
  name,
  files: { ...slow, ...workflow(`steps: [${steps}]`) },
});
const read = 'call: op.read, with: { id: x }';

/** Retries whose first wait takes all the time of the step. */
export const LATE_RETRY_CASES: LintCase[] = [
  late('beyond the default time-out of a step', `{ id: a, ${read}, ▶retry: { first: 10m, max: 10m } }`),
  late('beyond its own time', `{ id: a, ${read}, timeout: 5s, ▶retry: { first: 5s } }`),
  late('beyond that of its implementation', '{ id: a, call: op.slow, ▶retry: { first: 5m, max: 5m } }'),
  late('of a group', `{ id: g, timeout: 1s, steps: [{ id: a, ${read} }], ▶retry: { first: 2s } }`),
  late('a random part of the wait that may fit', `{ id: a, ${read}, timeout: 5s, retry: { first: 8s, jitter: true } }`),
  late('enough time', `{ id: a, ${read}, timeout: 30m, retry: { first: 10m, max: 10m } }`),
  late('one attempt', `{ id: a, ${read}, retry: { attempts: 1, first: 10m, max: 10m } }`),
];
