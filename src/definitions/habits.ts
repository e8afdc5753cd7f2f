import { isCaseFile } from './case-files.js';
import type { YamlSource } from './yaml-source.js';

/** Several keys with one right form. */
function alike(right: string, ...keys: string[]): Record<string, string> {
  return Object.fromEntries(keys.map((key) => [key, right]));
}

/** Keys people bring from other systems, with the form that is right here. Source: docs/workflow-language.md. */
const HABITS: Record<string, string> = {
  uses: 'Write `call: <ability>`.',
  run: 'A command is an ability: register a script and write `call: <ability>`.',
  task: 'Write `call: <ability>`.',
  action: 'Write `call: <ability>`.',
  needs: 'Steps run in the order written; use `parallel` for those that may run at once.',
  ...alike(
    'Steps run in the order written; use `parallel` for those that may run at once.',
    'depends_on',
    'depends',
    'dependsOn',
  ),
  on: 'A workflow does not start itself: `triggers: [{ webhook: NAME, secret: "env:X" }]` starts it by a webhook, `schedules` by the clock, `ability run ID` from CI.',
  ...alike(
    'Write `triggers: [{ webhook: NAME, secret: "env:X" }]` at the top; `POST /v1/webhooks/NAME` of `ability serve` takes it.',
    'trigger',
    'webhook',
    'webhooks',
    'event',
    'events',
  ),
  ...alike(
    'Write `schedules: [{ id: .., cron: "0 3 * * *", environment: .. }]` at the top.',
    'schedule',
    'cron',
    'every',
  ),
  do: 'Write `steps: [..]`, each step with an `id`.',
  tasks: 'Write `steps: [..]`, each step with an `id`.',
  emit: 'Write `call: <ability>` of one that sends it; a task that waits is signalled with `ability task signal KEY NAME`.',
  strategy: 'Write `foreach: input.list` with `as`, `max_parallel` and `steps`.',
  fork: 'Write `parallel: { NAME: step, .. }`; where the first to end is to win, `race`.',
  outputs: 'Write `output`.',
  inputs: 'Write `input_schema`, and `with` at a call.',
  input: 'Write `with` at a call, `input_schema` at the top.',
  args: 'Write `with`.',
  params: 'Write `with`.',
  'timeout-minutes': 'Write `timeout: 10m`.',
  timeout_sec: 'At a step write `timeout: 20s`; `timeout_sec` belongs to an implementation.',
  'continue-on-error': 'Write `continue_on_error: true`.',
  when: 'Write `if`, in CEL.',
  condition: 'Write `if`, in CEL.',
  env: 'Use `env_profile` of the implementation.',
  name: 'Write `id` (or `summary`).',
  description: 'Write `summary`.',
  jobs: 'Write `steps`.',
  ...alike(
    'The address belongs in registry/config, `environments.NAME.endpoints.default` of the ability; here is the `path`.',
    'url',
    'base_url',
    'host',
  ),
  retries: 'Write `retry: { attempts: 3 }`.',
  max_attempts: 'Write `attempts`.',
  backoff: 'Write `first`, `factor` and `max`.',
  ...alike('Write `on_error: [{ errors: [..], steps: [..] }]`.', 'catch', 'except', 'rescue', 'on-error', 'onError'),
  on_failure: 'Write `on_error: [{ steps: [..] }]`; `on_failure: finish` belongs to `foreach` and `parallel`.',
  try: 'Write a group, `steps: [..]`, with `on_error` beside it.',
  ...alike('Write the steps under `finally`.', 'always', 'ensure', 'defer', 'cleanup'),
  ...alike('Write `undo: { call: .., with: .. }` at the call it takes back.', 'compensate', 'compensation', 'rollback'),
  ...alike('Write `repeat: { until: .. }` with `steps`.', 'while', 'until', 'do_while', 'poll'),
  ...alike(
    'Write `foreach: input.list` with `as` and `steps`.',
    'for',
    'loop',
    'with_items',
    'withItems',
    'for_each',
    'matrix',
    'each',
  ),
  ...alike('Write `max_parallel: 5`.', 'parallelism', 'max-parallel', 'maxParallel', 'max_concurrency'),
  ...alike('Write `concurrency: { key: .. }` at the top.', 'mutex', 'semaphore', 'lock', 'singleton'),
  ...alike(
    'Write `on_busy: cancel_older` for true, `on_busy: newest` for false.',
    'cancel-in-progress',
    'cancel_in_progress',
  ),
  cut: 'Write `cut: allowed` at each `call` that may be cut.',
  ...alike('Write `wait: 30s`; in a `retry`, `first: 1s`.', 'sleep', 'delay', 'pause'),
  ...alike('Write `wait: { signal: NAME }`.', 'signal', 'wait_for', 'listen'),
  ...alike('Write `switch: [{ if: .., steps: [..] }, { else: [..] }]`.', 'case', 'cases', 'choice', 'choose', 'then'),
  ...alike('Write `fail: { code: .., message: .. }`.', 'throw', 'raise'),
  ...alike('Write `end: { output: .. }`.', 'return', 'exit'),
  ...alike('Write `let: { NAME: value }` at a step, `vars` at an environment.', 'set', 'vars', 'variables', 'assign'),
};

/** What people write in a test case, with the form that is right there. */
const CASE_HABITS: Record<string, string> = {
  env: 'Write `environment`.',
  with: 'Write `input`.',
  given: 'Write `input`, `mocks` and `approvals`.',
  when: 'A case runs its ability once; write its `input`.',
  should: 'Write `expect`.',
  description: 'Write `name`.',
  id: 'Write `name`.',
  stubs: 'Write `mocks`.',
  returns: 'Write `output`.',
  throws: 'Write `error: { code, message }`.',
  contains: 'Write `output_includes`.',
};

/**
 * Keys of which the value decides what is right here: GitHub's `cancel-in-progress: false` lets what runs end, and the
 * newest that waits takes the place of one that waits already.
 */
const BY_VALUE: Record<string, (value: unknown) => string | undefined> = {
  'cancel-in-progress': inProgress,
  cancel_in_progress: inProgress,
};

function inProgress(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'Write `on_busy: cancel_older`.' : 'Write `on_busy: newest`.';
}

/** Keys that mean something else in this key than at a step. */
const INSIDE: Record<string, Record<string, string>> = {
  wait: alike('Write `wait: 30s`.', 'for', 'duration', 'seconds', 'time'),
};

/**
 * The right form of a key with this value that people bring from elsewhere; undefined where it is none.
 *
 * @param within the key whose map it stands in, if any.
 */
export function habitOf(key: string, { file }: YamlSource, value?: unknown, within?: PropertyKey): string | undefined {
  const inside = typeof within === 'string' && Object.hasOwn(INSIDE, within) ? INSIDE[within] : undefined;
  if (inside && Object.hasOwn(inside, key)) return inside[key];
  const exact = Object.hasOwn(BY_VALUE, key) && !isCaseFile(file) ? BY_VALUE[key]?.(value) : undefined;
  if (exact !== undefined) return exact;
  const habits = isCaseFile(file) ? CASE_HABITS : HABITS;
  return Object.hasOwn(habits, key) ? habits[key] : undefined;
}
