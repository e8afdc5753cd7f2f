// A project with one small workflow for each construct of the language and each end of a task.
// Inputs hold no paths: their digests are sealed, so nothing in them can be cleaned afterwards.
import { cancelTask, changeInput, deleteTask, runTask } from '../../build/client/index.js';
import { operation, workflow } from './definitions.mjs';
import { approve, cancel, deny, replaceInLine, untilStep } from './people.mjs';

const COUNT =
  'const n = existsSync(input.file) ? Number(readFileSync(input.file, "utf8")) + 1 : 1; writeFileSync(input.file, String(n));';

const OPERATIONS = {
  ...operation('util.echo', 'return input;'),
  ...operation('util.note', 'return input;', { effects: 'write_idempotent' }),
  ...operation('util.fail', 'process.stderr.write("no"); process.exit(1);', { effects: 'write_additive' }),
  ...operation('util.count', `${COUNT} return { n };`, { effects: 'write_idempotent' }),
  ...operation('util.flaky', `${COUNT} if (n < 2) process.exit(1); return { n };`, { effects: 'write_idempotent' }),
  ...operation('util.slow', 'await sleep(input.ms); return input;'),
  ...operation('util.additive', 'console.error("at work"); await sleep(60000);', { effects: 'write_additive' }),
  ...operation('util.invalid', 'return { n: 1 };', {
    effects: 'write_additive',
    more: 'output_schema: { type: object, required: [id] }',
  }),
  ...operation('util.large', 'return { text: "x".repeat(200000) };'),
  ...operation('util.fast', 'return input;', { tags: ', tags: [fast]' }),
  ...operation(
    'util.leave',
    'for (const name of ["report.txt", "a.log", "b.log"]) writeFileSync(`${at("--dir")}/${name}`, `${name} ${input.n}`); return {};',
    {
      more: 'output_files: { report: "*.txt", logs: { glob: "*.log", many: true } }',
      args: ['--dir', '{output_dir}'],
    },
  ),
  ...operation('util.take', 'return { text: readFileSync(at("--file"), "utf8") };', {
    more: 'input_schema: { type: object, properties: { file: { type: object, format: file } } }',
    args: ['--file', '${{ input.file }}'],
  }),
  ...operation('util.guarded', 'return input;', {
    more: 'hooks: { pre_call: [script_guard], post_call: [script_note] }',
  }),
  ...operation('util.ruled', 'return input;', { more: 'hooks: { pre_call: [rule, warns, asks] }' }),
  ...operation('util.forbidden', 'return input;', { more: 'hooks: { pre_call: [never] }' }),
};

const HOOKS = {
  'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: script_guard, handler: { script: { path: hooks/allow.mjs } } }
  - { id: rule, handler: { expression: { deny_if: "input.n > 5", reason: Too many. } } }
  - { id: warns, handler: { expression: { warn_if: "true", reason: Look twice. } } }
  - { id: asks, handler: { expression: { confirm_if: "input.n > 2", reason: Quite many. } } }
  - { id: never, handler: { expression: { deny_if: "true", reason: Never. } } }
`,
  'registry/hooks/PostAbilityCall.yaml':
    'hooks: [{ id: script_note, blocking: false, handler: { script: { path: hooks/allow.mjs } } }]\n',
  'hooks/allow.mjs': 'console.log(JSON.stringify({ status: "ok", guard_decision: "allow" }));\n',
};

const items = (count) => Array.from({ length: count }, (_, n) => n).join(', ');
const SUM = 'call: util.echo, with: { sum: "${{ (steps.add.output == null ? 0 : steps.add.output.sum) + n }}" }';
const note = (text) => `call: util.note, with: { text: ${text} }`;

/** Name to the YAML of a workflow, and what people do to its task. */
const WORKFLOWS = {
  call: {
    yaml: 'steps: [{ id: one, call: util.echo, with: { n: 1 } }, { id: two, call: util.echo, with: { n: "${{ steps.one.output.n + 1 }}" } }]\noutput: "${{ steps.two.output.n }}"',
  },
  'call-retried': {
    yaml: 'steps: [{ id: a, call: util.flaky, with: { file: call-retried }, retry: { attempts: 3, first: 50ms } }]',
  },
  'call-step-timeout': {
    yaml: 'steps: [{ id: a, call: util.slow, with: { ms: 20000 }, timeout: 1s, on_error: [{ errors: [timeout], output: late }] }]',
  },
  approval: {
    yaml: 'steps: [{ id: ask, approval: { title: Go on? } }]\noutput: "${{ steps.ask.output.by }}"',
    act: approve,
  },
  'approval-expired': { yaml: 'steps: [{ id: ask, approval: { title: Go on?, timeout: 1s } }]' },
  parallel: {
    yaml: 'steps: [{ id: p, parallel: { left: { call: util.echo, with: { n: 1 } }, right: { call: util.echo, with: { n: 2 } } } }]\noutput: "${{ steps.p.output }}"',
  },
  'parallel-failed': {
    yaml: 'steps: [{ id: p, parallel: { left: { call: util.fail, with: {} }, right: { wait: 60s } } }]',
  },
  race: {
    yaml: 'steps: [{ id: r, race: { slow: { call: util.slow, with: { ms: 30000 } }, quick: { wait: 1s } } }]\noutput: "${{ steps.r.output.winner }}"',
  },
  'race-cut': {
    yaml: 'steps: [{ id: r, race: { lost: { call: util.additive, with: {} }, quick: { wait: 3s } } }]\nfinally: [{ id: bye, call: util.echo, with: {} }]',
  },
  'race-cut-allowed': {
    yaml: 'steps: [{ id: r, race: { lost: { call: util.additive, with: {}, cut: allowed }, quick: { wait: 3s } } }]\noutput: "${{ steps.r.output.winner }}"',
  },
  'parallel-cut': {
    yaml: 'steps: [{ id: p, on_failure: cancel, parallel: { lost: { call: util.additive, with: {} }, bad: { steps: [{ id: pause, wait: 3s }, { id: f, fail: { code: app.no, message: no } }] } } }]',
  },
  'timeout-cut': {
    yaml: 'steps: [{ id: g, timeout: 3s, steps: [{ id: lost, call: util.additive, with: {} }], on_error: [{ errors: [outcome.unknown], steps: [{ id: h, call: util.echo, with: {} }], rethrow: true }] }]',
  },
  'undo-of-unusable-answer': {
    yaml: `steps: [{ id: g, retry: { attempts: 2, first: 100ms }, steps: [{ id: a, call: util.invalid, with: {}, undo: { ${note('back')} } }] }]`,
  },
  'race-approval': {
    yaml: 'steps: [{ id: r, race: { human: { approval: { title: Go on? } }, auto: { wait: 60s } } }]',
    act: approve,
  },
  'foreach-sequential': {
    yaml: 'steps: [{ id: each, foreach: [1, 2, 3], as: n, index: i, steps: [{ id: c, call: util.echo, with: { n: "${{ n + i }}" } }] }]\noutput: "${{ steps.each.output }}"',
  },
  'foreach-last-turn': {
    yaml: `steps: [{ id: each, foreach: [1, 2, 3, 4], as: n, steps: [{ id: add, if: n != 3, ${SUM} }, { id: c, call: util.echo, with: { n: "\${{ n }}", was: "\${{ steps.c.output == null ? 0 : steps.c.output.n }}" } }] }]\noutput: "\${{ steps.each.output }}"`,
  },
  'foreach-parallel': {
    yaml: 'steps: [{ id: each, foreach: [1, 2, 3, 4], as: n, max_parallel: 2, steps: [{ id: c, call: util.echo, with: { n: "${{ n }}" } }] }]\noutput: "${{ steps.each.output }}"',
  },
  switch: {
    yaml: 'steps: [{ id: pick, switch: [{ if: "false", steps: [{ id: no, call: util.echo, with: {} }] }, { else: [{ id: yes, call: util.echo, with: { n: 1 } }] }] }]\noutput: "${{ steps.pick.output }}"',
  },
  repeat: {
    yaml: 'steps: [{ id: loop, repeat: { until: "steps.probe.output.n >= 3", every: 100ms, max: 5 }, steps: [{ id: probe, call: util.count, with: { file: repeat } }] }]',
  },
  'repeat-last-turn': {
    yaml: 'steps: [{ id: outer, foreach: [1, 2], as: n, steps: [{ id: loop, index: i, repeat: { until: "steps.seen.output.same", every: 100ms, max: 5 }, steps: [{ id: probe, call: util.echo, with: { n: "${{ i > 1 ? 1 : i }}" } }, { id: seen, let: { n: "${{ steps.probe.output.n }}", same: "${{ steps.seen.output != null && steps.seen.output.n == steps.probe.output.n }}" } }] }] }]',
  },
  'wait-time': { yaml: 'steps: [{ id: w, wait: 1s }, { id: after, call: util.echo, with: {} }]' },
  'wait-until': {
    yaml: 'steps: [{ id: soon, wait: { until: \'now() + duration("1s")\' } }, { id: p, parallel: { brings: { call: util.slow, with: { ms: 100 } }, waits: { wait: { until: \'steps.brings.status == "succeeded"\' } } } }]',
  },
  'wait-signal': {
    yaml: 'steps: [{ id: early, wait: { signal: first } }, { id: w, wait: { signal: go, if: signal.ok, timeout: 60s } }, { id: late, wait: { signal: never, timeout: 1s }, continue_on_error: true }]\noutput: "${{ steps.w.output }}"',
    async act(task) {
      const handle = task.session.temporal.workflow.getHandle(task.id);
      await handle.signal('first', {});
      await untilStep(task, 'w', 'waiting');
      await handle.signal('go', { ok: false });
      await handle.signal('go', { ok: true });
    },
  },
  'pause-resume': {
    yaml: 'steps: [{ id: a, call: util.slow, with: { ms: 500 } }, { id: b, call: util.echo, with: {} }]',
    async act(task) {
      const handle = task.session.temporal.workflow.getHandle(task.id);
      await handle.signal('pause');
      await untilStep(task, 'a', 'succeeded');
      await handle.signal('resume');
    },
  },
  let: {
    yaml: 'steps: [{ id: names, let: { n: "${{ 1 + 2 }}", id: "${{ uuid() }}" } }, { id: c, call: util.echo, with: { n: "${{ steps.names.output.n }}" } }]',
  },
  fail: {
    yaml: 'steps: [{ id: c, call: util.echo, with: {} }, { id: stop, fail: { code: too_many, message: At most 20 } }]',
  },
  end: {
    yaml: 'steps: [{ id: stop, end: { output: { skipped: true } } }, { id: never, call: util.echo, with: {} }]\nfinally: [{ id: bye, call: util.echo, with: {} }]',
  },
  'if-skipped': {
    yaml: 'steps: [{ id: never, if: "false", call: util.echo, with: {} }, { id: c, if: "steps.never.status == \'skipped\'", call: util.echo, with: {} }]',
  },
  'on-error': {
    yaml: 'steps: [{ id: a, call: util.fail, with: {}, on_error: [{ errors: [http], output: 1 }, { errors: [script], steps: [{ id: h, call: util.echo, with: { why: "${{ steps.a.error.code }}" } }], output: "${{ steps.h.output.why }}" }] }]\noutput: "${{ steps.a.output }}"',
  },
  'continue-on-error': {
    yaml: 'steps: [{ id: a, call: util.fail, with: {}, continue_on_error: true }, { id: b, call: util.echo, with: { was: "${{ steps.a.status }}" } }]',
  },
  'finally-on-group': {
    yaml: 'steps: [{ id: g, steps: [{ id: a, call: util.fail, with: {} }], finally: [{ id: clean, call: util.echo, with: {} }] }]',
  },
  'retry-on-group': {
    yaml: 'steps: [{ id: g, retry: { attempts: 2, first: 50ms }, steps: [{ id: a, call: util.count, with: { file: retry-on-group } }, { id: b, if: "steps.a.output.n < 2", fail: { code: not_yet, message: Once more } }] }]',
  },
  'timeout-on-group': { yaml: 'steps: [{ id: g, timeout: 1s, steps: [{ id: a, wait: 30s }] }]' },
  undo: {
    yaml: `steps: [{ id: a, ${note('a')}, undo: { ${note('undo a')} } }, { id: b, ${note('b')}, undo: { ${note('undo b')} } }, { id: bad, fail: { code: no_luck, message: no } }]`,
  },
  child: { yaml: 'steps: [{ id: inner, call: inner, with: { n: 1 } }]\noutput: "${{ steps.inner.output }}"' },
  'child-failed': { yaml: 'steps: [{ id: inner, call: fails, with: {}, continue_on_error: true }]' },
  concurrency: {
    yaml: 'concurrency: { key: "alone-${{ environment.name }}" }\nsteps: [{ id: a, call: util.echo, with: { n: 1 } }]',
  },
  'concurrency-waiting': {
    yaml: 'steps: [{ id: p, parallel: { left: { call: turns, with: {} }, right: { call: turns, with: {} } } }]',
    lock: 'turns',
  },
  'concurrency-refused': {
    yaml: 'steps: [{ id: p, parallel: { left: { call: refuses, with: {}, continue_on_error: true }, right: { call: refuses, with: {}, continue_on_error: true } } }]',
  },
  // As since a lock answers with the token of the request; one waits longer than lists hide it.
  'concurrency-token': {
    yaml: 'steps: [{ id: p, parallel: { left: { call: long_turns, with: {} }, right: { call: long_turns, with: {} } } }]',
    lock: 'long_turns',
  },
  'fast-operation': {
    yaml: 'steps: [{ id: a, call: util.fast, with: { n: 1 } }, { id: b, call: util.fast, with: { n: 2 } }]',
  },
  'script-hooks': { yaml: 'steps: [{ id: a, call: util.guarded, with: {} }]' },
  'expression-hooks': {
    yaml: 'steps: [{ id: a, call: util.ruled, with: { n: 1 } }, { id: b, call: util.ruled, with: { n: 3 } }]',
    act: approve,
  },
  template: {
    yaml: 'templates: { twice: { input: [n], steps: [{ id: c, call: util.echo, with: { n: "${{ input.n * 2 }}" } }, { id: bad, if: input.n == 3, fail: { code: no_luck, message: No. } }], output: "${{ steps.c.output.n }}" } }\nsteps: [{ id: one, template: twice, with: { n: 1 } }, { id: each, foreach: [1, 2], as: n, steps: [{ id: two, template: twice, with: { n: "${{ n }}" } }] }, { id: three, template: twice, with: { n: 3 }, continue_on_error: true }]\noutput: ["${{ steps.one.output }}", "${{ steps.each.output }}"]',
  },
  'retry-if': {
    yaml: 'steps: [{ id: a, call: util.flaky, with: { file: retry-if }, retry: { attempts: 3, first: 50ms, jitter: true, if: "attempt < 3" } }, { id: b, call: util.fail, with: {}, retry: { attempts: 3, first: 50ms, if: \'error.code == "http.503"\' }, continue_on_error: true }]',
  },
  link: {
    yaml: 'steps: [{ id: before, let: { link: "${{ steps.ask.link }}" } }, { id: p, parallel: { ask: { approval: { title: Go on? } }, tell: { call: util.echo, with: { link: "${{ steps.ask.link }}" } } } }]\noutput: ["${{ steps.before.output.link }}", "${{ steps.tell.output.link }}", "${{ steps.ask.link }}"]',
    act: approve,
  },
  'comment-on-deny': {
    yaml: 'steps: [{ id: ask, approval: { title: Go on?, comment: on_deny } }]\noutput: "${{ steps.ask.output.by }}"',
    act: approve,
  },
  files: {
    yaml:
      'steps: [{ id: make, call: util.leave, with: { n: 1 } }, { id: again, call: util.leave, with: { n: 2 } }, { id: each, foreach: steps.make.files.logs, as: log, max_parallel: 2, steps: [{ id: take, call: util.take, with: { file: "${{ log }}" } }] }, { id: inner, call: inner_files, with: { file: "${{ steps.make.files.report }}" } }, { id: last, call: util.take, with: { file: "${{ steps.inner.output }}" } }, { id: forged, continue_on_error: true, call: util.take, with: { file: { $file: "' +
      'a'.repeat(64) +
      '", name: a.txt, bytes: 1, media_type: text/plain } } }]\noutput: ["${{ steps.last.output.text }}", "${{ steps.again.files.report }}"]',
  },
  // As since the plan is an argument of its own, and deflated.
  'plan-apart': {
    yaml: 'steps: [{ id: inner, call: inner, with: { n: 1 } }, { id: ruled, call: util.ruled, with: { n: 1 } }]\noutput: "${{ steps.inner.output }}"',
  },
  'payload-in-store': {
    yaml: 'steps: [{ id: a, call: util.large, with: {} }, { id: b, call: util.echo, with: { size: "${{ size(steps.a.output.text) }}" } }]\noutput: "${{ steps.b.output.size }}"',
  },
  'end-failed': {
    yaml: 'steps: [{ id: a, call: util.fail, with: {} }]\nfinally: [{ id: clean, call: util.echo, with: {} }]',
  },
  'end-denied-by-hook': { yaml: 'steps: [{ id: a, call: util.forbidden, with: {} }]' },
  'end-denied-by-person': { yaml: 'steps: [{ id: ask, approval: { title: Go on? } }]', act: deny },
  'end-cancelled': {
    yaml: 'steps: [{ id: ask, approval: { title: Go on? } }]\nfinally: [{ id: clean, call: util.echo, with: {} }]',
    act: cancel,
  },
  'end-cancelled-in-call': {
    yaml: 'steps: [{ id: a, call: util.slow, with: { ms: 30000 } }]',
    async act(task) {
      await untilStep(task, 'a', 'running');
      await cancelTask(task.session, task.id);
    },
  },
  'end-timed-out': {
    yaml: 'timeout: 1s\nsteps: [{ id: a, call: util.slow, with: { ms: 20000 } }]\nfinally: [{ id: clean, call: util.echo, with: {} }]',
  },
  'end-unknown': { yaml: 'steps: [{ id: a, call: util.additive, with: {}, timeout: 1s }]' },
};

/** Histories that only a server shows which asks for a new run after a few events. */
const LONG = {
  'continue-as-new': {
    yaml: `steps: [{ id: before, ${note('before')}, undo: { ${note('undo')} } }, { id: all, foreach: [${items(8)}], as: n, max_parallel: 2, steps: [{ id: c, call: util.echo, with: { n: "\${{ n }}" } }] }]\noutput: "\${{ size(steps.all.output) }}"`,
  },
  'continue-as-new-failed': {
    yaml: `steps: [{ id: all, foreach: [${items(8)}], as: n, on_failure: finish, steps: [{ id: c, call: util.echo, with: { n: "\${{ n }}" } }, { id: bad, if: n == 1, fail: { code: no_luck, message: No. } }] }]\non_error: [{ steps: [{ id: after, foreach: [${items(8)}], as: n, steps: [{ id: d, call: util.echo, with: {} }] }] }]`,
  },
  'continue-as-new-last-turn': {
    yaml: `steps: [{ id: done, repeat: { until: "true" }, steps: [{ id: seen, let: { n: 1 } }] }, { id: all, foreach: [${items(8)}], as: n, steps: [{ id: add, if: n % 3 != 2, ${SUM} }] }, { id: last, call: util.echo, with: { n: "\${{ steps.seen.output.n }}", sums: "\${{ steps.all.output }}" } }]\noutput: "\${{ steps.last.output }}"`,
  },
  'continue-as-new-files': {
    yaml: `steps: [{ id: make, call: util.leave, with: { n: 1 } }, { id: all, foreach: [${items(8)}], as: n, max_parallel: 2, steps: [{ id: c, call: util.leave, with: { n: "\${{ n }}" } }, { id: file, let: { report: "\${{ steps.c.files.report }}" } }] }, { id: first, call: util.take, with: { file: "\${{ steps.make.files.report }}" } }, { id: last, call: util.take, with: { file: "\${{ steps.all.output[7].report }}" } }]\noutput: "\${{ [steps.first.output.text, steps.last.output.text] }}"`,
  },
  'continue-as-new-link': {
    yaml: `templates: { turn: { input: [n], steps: [{ id: c, call: util.echo, with: { n: "\${{ input.n }}", link: "\${{ steps.c.status == 'running' }}" } }] } }\nsteps: [{ id: p, parallel: { asks: { approval: { title: Go on? } }, busy: { steps: [{ id: x, foreach: [${items(8)}], as: n, steps: [{ id: t, template: turn, with: { n: "\${{ n }}" } }, { id: told, call: util.echo, with: { link: "\${{ steps.asks.link }}" } }] }] } } }]\noutput: "\${{ steps.x.output }}"`,
    async act(task) {
      await untilStep(task, 'p/busy', 'succeeded');
      await approve(task);
    },
  },
  'continue-as-new-waiting': {
    yaml: `steps: [{ id: p, parallel: { asks: { approval: { title: Go on? } }, hears: { wait: { signal: go } }, busy: { steps: [{ id: x, foreach: [${items(8)}], as: n, steps: [{ id: c, call: util.echo, with: {} }] }] } } }]`,
    async act(task) {
      await untilStep(task, 'p/busy', 'succeeded');
      await task.session.temporal.workflow.getHandle(task.id).signal('go', {});
      await approve(task);
    },
  },
};

const PERSON = { name: 'recorder', source: 'claimed' };

const workflowId = (name) => name.replaceAll('-', '_');
const tasksOf = (workflows) =>
  Object.fromEntries(
    Object.entries(workflows).map(([name, { act, lock }]) => [
      name,
      { ability: workflowId(name), input: {}, act, lock },
    ]),
  );

/** The files of the project. */
/** One program for all agents: what it says depends on the request and on what came of its calls. */
const MODEL = `
let text = '';
for await (const part of process.stdin) text += part;
const { messages, tools } = JSON.parse(text);
const request = messages[0].content;
const told = messages.filter(({ role }) => role === 'tool').length;
const call = (name, given = {}) => ({ id: 'call_' + told + name, name, arguments: given });
const plans = {
  all: [
    [call('util_echo', { n: 1 }), call('util_echo', { n: 2 })],
    [call('util_note', { text: 'a' }), call('nothing'), call('util_forbidden', { n: 1 })],
    [call('inner', { n: 1 }), call('agent_helper', { request: 'help' })],
  ],
  help: [[call('util_echo', { n: 3 })]],
  long: Array.from({ length: 8 }, (_, n) => [call('util_note', { text: String(n) })]),
};
const steps = plans[request];
const turn = messages.filter(({ role }) => role === 'assistant').length;
const isBroken = request === 'all' && turn === steps.length;
const says = turn < steps.length && tools.length > 0 ? { text: 'Turn ' + turn, calls: steps[turn] } : { text: isBroken ? 'no JSON' : JSON.stringify({ told }) };
process.stdout.write(JSON.stringify(says));
`;

const agentFile = (id, yaml) => ({
  [`registry/high-level/${id}.yaml`]: `id: ${id}\ntype: agent\nsummary: ${id}\ninstructions: Do it.\noutput_schema: { type: object, required: [told] }\n${yaml}\n`,
});

const AGENTS = {
  'models/model.mjs': MODEL,
  ...agentFile(
    'agent_all',
    'operations: [util.echo, util.note, util.forbidden, inner, agent_helper]\nlimits: { max_cost: 5 }',
  ),
  ...agentFile('agent_helper', 'operations: [util.echo, util.guarded]'),
  ...agentFile('agent_long', 'operations: [util.note]'),
};

export const PROJECT_FILES = {
  'ability.yaml':
    'format: 1\nproject: histories\nenvironments: { dev: {} }\nmodels: { default: { command: { path: models/model.mjs }, price: { input: 1, output: 4 } } }\n',
  ...OPERATIONS,
  ...AGENTS,
  ...HOOKS,
  ...Object.assign(
    {},
    ...Object.entries({ ...WORKFLOWS, ...LONG }).map(([name, { yaml }]) => workflow(workflowId(name), yaml)),
  ),
  ...workflow(
    'inner',
    'steps: [{ id: add, call: util.echo, with: { n: "${{ input.n + 1 }}" } }]\noutput: "${{ steps.add.output.n }}"',
  ),
  ...workflow(
    'inner_files',
    'input_schema: { type: object, properties: { file: { type: object, format: file } } }\nsteps: [{ id: take, call: util.take, with: { file: "${{ input.file }}" } }, { id: make, call: util.leave, with: { n: 3 } }]\noutput: "${{ steps.make.files.report }}"',
  ),
  ...workflow('turns', 'concurrency: { key: turns }\nsteps: [{ id: a, call: util.slow, with: { ms: 500 } }]'),
  ...workflow(
    'long_turns',
    'concurrency: { key: long_turns }\nsteps: [{ id: a, call: util.slow, with: { ms: 3000 } }]',
  ),
  ...workflow(
    'refuses',
    'concurrency: { key: refuses, on_busy: refuse }\nsteps: [{ id: a, call: util.slow, with: { ms: 500 } }]',
  ),
  ...workflow(
    'gives_way',
    'concurrency: { key: gives_way, on_busy: newest }\nsteps: [{ id: gate, wait: { signal: go } }]',
  ),
  ...workflow('fails', 'steps: [{ id: bad, fail: { code: no_luck, message: not today } }]'),
};

/** Tasks by what the server has to be like. */
export const CONSTRUCTS = {
  plain: {
    ...tasksOf(WORKFLOWS),
    'created-then-run': { ability: 'util.echo', input: {}, run: false, act: ({ session, id }) => runTask(session, id) },
    'changed-then-run': {
      ability: 'util.echo',
      input: { n: 1 },
      run: false,
      async act({ session, id }) {
        await changeInput(session, id, { set: { n: 2 }, unset: [], by: PERSON });
        await runTask(session, id);
      },
    },
    deleted: {
      ability: 'util.echo',
      input: { n: 1 },
      run: false,
      act: ({ session, id }) => deleteTask(session, id, { by: PERSON, purge: false }),
    },
    operation: { ability: 'util.echo', input: { n: 1 } },
    agent: { ability: 'agent_all', input: { request: 'all' } },
    'concurrency-newest': { ability: 'gives_way', input: {}, run: false, act: replaceInLine, lock: 'gives_way' },
  },
  long: { ...tasksOf(LONG), 'agent-long': { ability: 'agent_long', input: { request: 'long' } } },
  /** Nobody runs it; its server skips the week. */
  skipping: { 'end-expired': { ability: 'util.echo', input: {}, run: false } },
};
