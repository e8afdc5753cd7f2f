import { isCaseFile } from './is-case-file.js';
import type { YamlSource } from './yaml-source.js';

/** Turns a table of advice and the keys it is for into one from each key to its advice. */
function byKey(forms: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(forms).flatMap(([form, keys]) => keys.split(' ').map((key) => [key, form])));
}

/** Advice for keys that people know from other systems. */
const HABITS = byKey({
  'Write `call: <ability>`.': 'uses task action',
  'A command is an ability: register a script and write `call: <ability>`.': 'run',
  'Steps run in the order written; use `parallel` for those that may run at once.':
    'needs depends_on depends dependsOn',
  'A workflow does not start itself: `triggers: [{ webhook: NAME, secret: "env:X" }]` starts it by a webhook, `schedules` by the clock, `ability run ID` from CI.':
    'on',
  'Write `triggers: [{ webhook: NAME, secret: "env:X" }]` at the top; `POST /v1/webhooks/NAME` of `ability serve` receives it.':
    'trigger webhook webhooks event events',
  'Write `schedules: [{ id: .., cron: "0 3 * * *", environment: .. }]` at the top.': 'schedule cron every',
  'Write `steps: [..]`, each step with an `id`.': 'do tasks',
  'Write `call: <ability>` for an ability that sends it; `ability task signal KEY NAME` signals a task that waits.':
    'emit',
  'Write `foreach: input.list` with `as`, `max_parallel` and `steps`.': 'strategy',
  'Write `parallel: { NAME: step, .. }`, or `race` if the first to end should win.': 'fork',
  'Write `output`.': 'outputs',
  'Write `input_schema`, and `with` at a call.': 'inputs',
  'Write `with` at a call, `input_schema` at the top.': 'input',
  'Write `with`.': 'args params',
  'Set `timeout: 10m`.': 'timeout-minutes',
  'At a step, set `timeout: 20s`; `timeout_sec` belongs to an implementation.': 'timeout_sec',
  'Set `continue_on_error: true`.': 'continue-on-error',
  'Write `if`, in CEL.': 'when condition',
  'Use `env_profile` of the implementation.': 'env',
  'Write `id` (or `summary`).': 'name',
  'Write `summary`.': 'description',
  'Write `steps`.': 'jobs',
  'The address belongs in registry/config, `environments.NAME.endpoints.default` of the ability; only the `path` belongs here.':
    'url base_url host',
  'Write `retry: { attempts: 3 }`.': 'retries',
  'Write `attempts`.': 'max_attempts',
  'Write `first`, `factor` and `max`.': 'backoff',
  'Write `on_error: [{ errors: [..], steps: [..] }]`.': 'catch except rescue on-error onError',
  'Write `on_error: [{ steps: [..] }]`; `on_failure: finish` belongs to `foreach` and `parallel`.': 'on_failure',
  'Write a group, `steps: [..]`, with `on_error` beside it.': 'try',
  'Write the steps under `finally`.': 'always ensure defer cleanup',
  'Write `undo: { call: .., with: .. }` at the call it undoes.': 'compensate compensation rollback',
  'Write `repeat: { until: .. }` with `steps`.': 'while until do_while poll',
  'Write `foreach: input.list` with `as` and `steps`.': 'for loop with_items withItems for_each matrix each',
  'Set `max_parallel: 5`.': 'parallelism max-parallel maxParallel max_concurrency',
  'Write `concurrency: { key: .. }` at the top.': 'mutex semaphore lock singleton',
  'Set `on_busy: cancel_older` for true, `on_busy: newest` for false.': 'cancel-in-progress cancel_in_progress',
  'Set `cut: allowed` at each `call` that may be cut.': 'cut',
  'Write `wait: 30s`; in a `retry`, `first: 1s`.': 'sleep delay pause',
  'Write `wait: { signal: NAME }`.': 'signal wait_for listen',
  'Write `switch: [{ if: .., steps: [..] }, { else: [..] }]`.': 'case cases choice choose then',
  'Write `fail: { code: .., message: .. }`.': 'throw raise',
  'Write `end: { output: .. }`.': 'return exit',
  'Write `let: { NAME: value }` at a step, `vars` at an environment.': 'set vars variables assign',
});

const CASE_HABITS = byKey({
  'Write `environment`.': 'env',
  'Write `input`.': 'with',
  'Write `input`, `mocks` and `approvals`.': 'given',
  'A case runs its ability once; write its `input`.': 'when',
  'Write `expect`.': 'should',
  'Write `name`.': 'description id',
  'Write `mocks`.': 'stubs',
  'Write `output`.': 'returns',
  'Write `error: { code, message }`.': 'throws',
  'Write `output_includes`.': 'contains',
});

/** Advice by value. GitHub's `cancel-in-progress: false` lets the run end; only the newest one waits. */
const BY_VALUE: Record<string, (value: unknown) => string | undefined> = {
  'cancel-in-progress': inProgress,
  cancel_in_progress: inProgress,
};

function inProgress(value: unknown): string | undefined {
  if (typeof value !== 'boolean') return undefined;
  return value ? 'Set `on_busy: cancel_older`.' : 'Set `on_busy: newest`.';
}

/** Advice for keys that mean something else inside this key than at a step. */
const INSIDE: Record<string, Record<string, string>> = {
  wait: byKey({ 'Write `wait: 30s`.': 'for duration seconds time' }),
};

/** The right form of another tool's key, if known. @param within the key of the surrounding map, if any. */
export function habitOf(key: string, { file }: YamlSource, value?: unknown, within?: PropertyKey): string | undefined {
  const inside = typeof within === 'string' && Object.hasOwn(INSIDE, within) ? INSIDE[within] : undefined;
  if (inside && Object.hasOwn(inside, key)) return inside[key];
  const exact = Object.hasOwn(BY_VALUE, key) && !isCaseFile(file) ? BY_VALUE[key]?.(value) : undefined;
  if (exact !== undefined) return exact;
  const habits = isCaseFile(file) ? CASE_HABITS : HABITS;
  return Object.hasOwn(habits, key) ? habits[key] : undefined;
}
