import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import type { PlanPreview, StepPreview } from '../../../../src/contracts/preview.js';
import { previewPlan } from '../../../../src/planning/preview/preview-plan.js';
import { resolvePlan } from '../../../../src/planning/resolve/resolve-plan.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { type ProjectFiles, workflow } from '../../../fixtures/project-folder.js';
import { errorOf } from '../../error-of.js';
import { lowLevel, registryOf, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

const PROJECT = [
  'format: 1',
  'project: acme',
  'people: { managers: [alice, bob] }',
  'environments:',
  '  dev: { vars: { region: eu } }',
  '  prod: { protected: true, approve: [destructive], approvers: [managers], quorum: 2 }',
].join('\n');

const FILES: ProjectFiles = {
  'ability.yaml': PROJECT,
  ...SCRIPT_FILE,
  ...lowLevel('read.op', SCRIPT),
  ...lowLevel(
    'write.op',
    'effects: destructive',
    'input_schema: { type: object, required: [id], properties: { id: { type: string } }, additionalProperties: false }',
    'hooks: { pre_call: [guard] }',
    SCRIPT,
  ),
  'registry/hooks/PreAbilityCall.yaml': [
    'hooks:',
    '  - id: guard',
    '    handler: { expression: { deny_if: "input.id == \'root\'", confirm_if: "input.id.startsWith(\'vip\')", reason: Be careful. } }',
  ].join('\n'),
};

function preview(
  yaml: string,
  input: JsonObject = {},
  { more = {}, environment = 'dev' }: { more?: ProjectFiles; environment?: string } = {},
): PlanPreview {
  const registry = registryOf({ ...FILES, ...workflow('w', yaml), ...more });
  return previewPlan(registry, { ability: 'w', environment, input, user: { name: 'carol', source: 'claimed' } });
}

/** Every step of a tree, by its id. */
function stepsOf(steps: StepPreview[]): Record<string, StepPreview> {
  const all = steps.flatMap((step) => [step, ...step.groups.flatMap((group) => Object.values(stepsOf(group.steps)))]);
  return Object.fromEntries(all.map((step) => [step.id, step]));
}

function stepsFor(yaml: string, input: JsonObject = {}): Record<string, StepPreview> {
  return stepsOf(preview(yaml, input).steps);
}

function only(preview: PlanPreview): StepPreview {
  const [step] = preview.steps;
  if (!step) throw new Error('there is no step');
  return step;
}

describe('the plan', () => {
  test('has the digest that a worker computes for the same files, and that of its input with defaults', () => {
    const files = {
      ...FILES,
      ...workflow(
        'w',
        'input_schema: { type: object, properties: { n: { default: 3 } } }\nsteps: [{ id: a, call: read.op }]',
      ),
    };
    const registry = registryOf(files);
    const found = previewPlan(registry, {
      ability: 'w',
      environment: 'dev',
      input: {},
      user: { name: 'c', source: 'claimed' },
    });
    const { plan } = resolvePlan(registry, 'w', 'dev');
    expect(found).toMatchObject({
      status: 'available',
      digest: digestOf(plan),
      input: { n: 3 },
      input_digest: digestOf({ n: 3 }),
    });
    expect(found.reference).toBe(`${found.digest}.${found.input_digest}`);
    expect(found.plan).toEqual(plan);
  });

  test('refuses what preflight would: an input that violates the contract, an ability that is not available in the environment', () => {
    const strict = 'input_schema: { type: object, required: [x] }\nsteps: [{ id: a, call: read.op }]';
    expect(errorOf(() => preview(strict)).code).toBe('input.invalid');
    const scoped = 'scope: { environments: [prod] }\nsteps: [{ id: a, call: read.op }]';
    expect(errorOf(() => preview(scoped)).code).toBe('scope.environment');
  });

  test('shows calls and evaluates their hooks, with the parameters of the implementation and the defaults of the schema', () => {
    const more = lowLevel(
      'write.op',
      'effects: destructive',
      'input_schema: { type: object, properties: { id: { type: string }, n: { type: integer, default: 7 } } }',
      'hooks: { pre_call: [guard] }',
      SCRIPT.replace(/}$/, ', defaults: { id: root } }'),
    );
    const { call } = only(preview('steps: [{ id: a, call: write.op }]', {}, { more }));
    expect(call?.with.value).toEqual({ id: 'root', n: 7 });
    expect(call?.hooks).toMatchObject([{ id: 'guard', decision: 'deny' }]);
  });

  test.each([
    [
      'deny_if: "true", reason: "it fails: so it says", suggestion: Ask Bob.',
      'guard.denied',
      'it fails: so it says',
      'Ask Bob.',
    ],
    [
      'deny_if: "input.nothing", reason: Never shown., suggestion: Ask Bob.',
      'hook.failed',
      'The guard early failed',
      undefined,
    ],
  ])('a refusal before the task exists is reported as in preflight: %s', (handler, code, message, suggestion) => {
    const hooks = `hooks: [{ id: early, blocking: true, match: { abilities: [w] }, handler: { expression: { ${handler} } } }]`;
    const { problems } = preview(
      'steps: [{ id: a, call: read.op }]',
      {},
      {
        more: { 'registry/hooks/PreAbilityCreate.yaml': hooks },
      },
    );
    expect(problems).toMatchObject([{ code, message: expect.stringContaining(message) }]);
    expect(problems[0]?.suggestion).toBe(suggestion);
  });

  test('names tools that are pinned only when the task is created', () => {
    const more = {
      ...lowLevel('m.op', 'implementation: { kind: mcp, mcp: { server: logs, tool: query } }'),
      'registry/config/m.yaml': 'mcp_servers: { logs: { command: node } }\n',
    };
    expect(preview('steps: [{ id: a, call: m.op }]', {}, { more }).pinned_at_creation).toEqual(['m.op']);
  });

  test('states where it runs, and what determines that', () => {
    expect(preview('steps: [{ id: a, call: read.op }]').placement).toEqual({
      where: 'local',
      queue: 'acme-dev-local',
      explicit: null,
      demands: [{ ability: 'read.op', tool: 'shell:read.op', placement: 'local' }],
    });
  });

  test('reports each missing credential, and shows none that is set', () => {
    const more = {
      ...lowLevel('s.op', 'implementation: { kind: script, script: { path: scripts/any.mjs, env_profile: db } }'),
      'registry/config/p.yaml':
        'env_profiles: { db: { secrets: { A: "env:PLAN_TEST_A", B: "file:secret.txt", C: "env:PLAN_TEST_C" } } }\n',
      'secret.txt': 'hush-hush',
    };
    const found = preview('steps: [{ id: a, call: s.op }]', {}, { more });
    expect(found.status).toBe('unavailable');
    expect(found.problems.map(({ code, message }) => [code, /PLAN_TEST_\w/.exec(message)?.[0]])).toEqual([
      ['config.missing_credential', 'PLAN_TEST_A'],
      ['config.missing_credential', 'PLAN_TEST_C'],
    ]);
    expect(found.operations[0]?.credentials.map(({ is_set }) => is_set)).toEqual([false, true, false]);
    expect(JSON.stringify(found)).not.toContain('hush-hush');
  });

  test('shows no password that is part of an address', () => {
    const more = {
      ...lowLevel('api.op', 'implementation: { kind: api, api: { method: GET, path: /x, endpoint: main } }'),
      'registry/config/a.yaml':
        'abilities: [{ id: api.op, environments: { dev: { endpoints: { main: "http://me:hush@127.0.0.1:1" } } } }]\n',
    };
    const [operation] = preview('steps: [{ id: a, call: api.op }]', {}, { more }).operations;
    expect(operation).toMatchObject({ does: 'GET http://***@127.0.0.1:1/x', tool: 'http:api.op' });
  });

  test('has the key of its turn, or states why it has none', () => {
    const at = (key: string) =>
      preview(`concurrency: { key: "${key}" }\nsteps: [{ id: a, call: read.op }]`, { name: 'x' }).concurrency;
    expect(at('deploy-${{ input.name }}')).toMatchObject({ key: 'deploy-x', limit: 1, on_busy: 'wait', problem: null });
    expect(at('${{ input.gone }}')).toMatchObject({ key: null, problem: { code: 'expression.failed' } });
  });
});

describe('the steps', () => {
  test('that are known not to run are skipped with the reason, and other steps see that', () => {
    const steps = stepsFor(
      [
        'steps:',
        '  - { id: off, if: input.on, call: read.op }',
        '  - { id: seen, if: steps.off.status == "skipped", call: read.op }',
        '  - { id: later, if: steps.seen.output.ok, call: read.op }',
      ].join('\n'),
      { on: false },
    );
    expect([steps.off?.runs, steps.off?.because, steps.off?.call]).toEqual(['no', '`input.on` is false', null]);
    expect(steps.seen?.runs).toBe('yes');
    expect([steps.later?.runs, steps.later?.if?.depends_on]).toEqual(['maybe', ['steps.seen']]);
  });

  test('have their parameters evaluated as far as the input determines them', () => {
    const { b } = stepsFor(
      'steps:\n  - { id: a, call: read.op }\n  - { id: b, call: read.op, with: { n: "u-${{ input.n }}", m: "${{ steps.a.output }}", e: "${{ environment.vars.region }}" } }',
      { n: 7 },
    );
    expect(b?.call?.with).toEqual({
      value: { n: 'u-7', m: '${{ steps.a.output }}', e: 'eu' },
      open: { m: ['steps.a'] },
      problem: null,
    });
  });

  test('see what an earlier `let` names, unless that step may not run', () => {
    const steps = stepsFor(
      [
        'steps:',
        '  - { id: names, let: { id: "u-${{ input.n }}" } }',
        '  - { id: a, call: read.op, with: { id: "${{ steps.names.output.id }}" } }',
        '  - { id: perhaps, if: steps.a.output.ok, let: { id: x } }',
        '  - { id: b, call: read.op, with: { id: "${{ steps.perhaps.output.id }}" } }',
      ].join('\n'),
      { n: 1 },
    );
    expect(steps.a?.call?.with.value).toEqual({ id: 'u-1' });
    expect(steps.b?.call?.with.open).toEqual({ id: ['steps.perhaps'] });
  });

  test('in a loop are undetermined if they read their own last turn', () => {
    const sum = '"${{ steps.add.output == null ? 0 : steps.add.output.sum + 1 }}"';
    const { add, once } = stepsFor(
      `steps: [{ id: l, foreach: [1, 2], as: n, steps: [{ id: add, let: { sum: ${sum}, n: 1 } }, { id: once, if: steps.once.output == null, call: read.op }] }]`,
    );
    expect(add?.value?.open).toEqual({ sum: ['steps.add'] });
    expect([once?.runs, once?.if?.depends_on]).toEqual(['maybe', ['steps.once']]);
  });

  test('of a loop over a known list are counted, and those of an empty list are not shown as running', () => {
    const loop =
      'steps: [{ id: l, foreach: input.rows, as: row, steps: [{ id: a, call: read.op, with: { r: "${{ row }}" } }] }]';
    const three = stepsFor(loop, { rows: [1, 2, 3] });
    expect([three.l?.foreach?.items, three.l?.groups[0]?.runs]).toEqual([3, 'yes']);
    expect([three.a?.path, three.a?.call?.with.open]).toEqual(['l/*/a', { r: ['the item'] }]);
    expect(stepsFor(loop, { rows: [] }).l?.groups[0]?.runs).toBe('no');
    expect(stepsFor(loop, { rows: 7 }).l?.foreach?.problem?.code).toBe('expression.not_list');
    const later =
      'steps: [{ id: a, call: read.op }, { id: l, foreach: steps.a.output.rows, as: r, steps: [{ id: b, call: read.op }] }]';
    expect(stepsFor(later).l?.foreach).toMatchObject({ items: null, depends_on: ['steps.a'] });
  });

  test('of a switch are those of the first case that holds, or of all that may hold', () => {
    const yaml = (first: string) =>
      `steps: [{ id: a, call: read.op }, { id: s, switch: [{ if: ${first}, steps: [{ id: x, call: read.op }] }, { if: input.n == 1, steps: [{ id: y, call: read.op }] }, { else: [{ id: z, call: read.op }] }] }]`;
    const runs = (first: string) => stepsFor(yaml(first), { n: 1 }).s?.groups.map((group) => group.runs);
    expect(runs('input.n == 2')).toEqual(['no', 'yes', 'no']);
    expect(runs('steps.a.output.ok')).toEqual(['maybe', 'maybe', 'no']);
    expect(runs('input.n == 1')).toEqual(['yes', 'no', 'no']);
  });

  test('after a step that is certain to end the task do not run', () => {
    const steps = stepsFor(
      'steps: [{ id: g, steps: [{ id: stop, if: input.stop, end: { output: 1 } }] }, { id: after, call: read.op }]',
      { stop: true },
    );
    expect([steps.after?.runs, steps.after?.because]).toEqual(['no', 'stop ends the task before it']);
    const whole = 'steps: [{ id: stop, end: { output: 1 } }]\noutput: 2';
    expect(preview(whole)).toMatchObject({ output: null, steps: [{ value: { value: 1 } }] });
    const handled = stepsFor(
      'steps: [{ id: g, continue_on_error: true, steps: [{ id: f, fail: { code: my.own, message: m } }] }, { id: after, call: read.op }]',
    );
    expect(handled.after?.runs).toBe('yes');
  });

  test('of handlers and clean-ups do not rely on steps that may not have run', () => {
    const found = preview(
      'steps: [{ id: n, let: { v: 1 } }, { id: a, call: read.op }]\nfinally: [{ id: c, call: read.op, with: { v: "${{ steps.n.output.v }}" } }]',
    );
    expect(only({ ...found, steps: found.finally }).call?.with.open).toEqual({ v: ['steps.n'] });
  });
});

describe('a call', () => {
  const call = (id: string, environment = 'dev') =>
    only(preview(`steps: [{ id: a, call: write.op, with: { id: "${id}" } }]`, {}, { environment })).call;

  test('shows the answers of the expression hooks for its parameters', () => {
    expect(call('x')?.hooks).toMatchObject([{ id: 'guard', decision: 'allow' }]);
    expect(call('root')).toMatchObject({ hooks: [{ decision: 'deny', reason: 'Be careful.' }], approval: null });
    expect(call('vip-1')).toMatchObject({
      hooks: [{ decision: 'need_user_confirm' }],
      approval: { asked: 'yes', reasons: ['Be careful. (hook guard)'], approvers: [], quorum: 1, self_approval: true },
    });
  });

  test('a foreach that asks once is shown with its one question, and its calls with none but those of hooks', () => {
    const each = (id: string, more: string, environment: string) =>
      stepsOf(
        preview(
          `steps:\n  - { id: all, foreach: [1, 2], as: n, ${more} steps: [{ id: one, call: write.op, with: { id: "${id}" } }] }`,
          {},
          { environment },
        ).steps,
      );
    const once = 'approval: { of: each, items: all },';
    const asked = each('a', once, 'prod');
    expect(asked.all?.approval).toMatchObject({ title: 'all calls of write.op in prod', asked: 'yes', quorum: 2 });
    expect(asked.one?.call?.approval).toBeNull();
    expect(each('vip1', once, 'prod').one?.call?.approval?.reasons).toEqual(['Be careful. (hook guard)']);
    const apart = each('a', '', 'prod');
    expect([apart.all?.approval, apart.one?.call?.approval?.asked]).toEqual([null, 'yes']);
    expect(each('a', once, 'dev').all?.approval).toBeNull();
  });

  test('shows who decides if the environment requires approval, and the quorum', () => {
    expect(call('x', 'prod')?.approval).toEqual({
      title: 'write.op in prod',
      asked: 'yes',
      reasons: ['prod asks for approval of destructive calls.'],
      approvers: ['managers'],
      people: ['alice', 'bob'],
      quorum: 2,
      self_approval: false,
      expires: '1d',
      comment: 'optional',
      fields: {},
    });
  });

  test('whose hooks read what is known only at run time may ask, and states what that depends on', () => {
    const found = preview(
      'steps: [{ id: s, call: read.op }, { id: a, call: write.op, with: { id: "${{ steps.s.output.id }}" } }]',
    );
    const { a } = stepsOf(found.steps);
    expect(a?.call?.hooks).toMatchObject([{ id: 'guard', decision: null, depends_on: ['steps.s'] }]);
    expect(a?.call?.approval).toMatchObject({ asked: 'maybe', reasons: ['perhaps: Be careful. (hook guard)'] });
  });

  test('is predicted to fail if its parameters are certain to violate the contract', () => {
    const { a } = stepsFor('steps: [{ id: a, call: write.op, with: { id: x, more: 1 } }]');
    expect(a?.call?.input_problem?.code).toBe('input.invalid');
  });

  test('states how many attempts it has, and how long it may take', () => {
    const steps = stepsFor(
      'steps: [{ id: r, call: read.op }, { id: w, call: write.op, with: { id: x } }, { id: t, call: write.op, with: { id: x }, timeout: 5s, retry: { attempts: 2, first: 1s } }]',
    );
    expect([steps.r?.call?.attempts, steps.w?.call?.attempts, steps.t?.call?.attempts]).toEqual([3, 1, 2]);
    expect([steps.r?.call?.limit_ms, steps.t?.call?.limit_ms]).toEqual([60_000, 5000]);
  });

  test('of a workflow shows its steps with the values that are passed to it', () => {
    const more = workflow(
      'child',
      'input_schema: { type: object, properties: { n: { type: integer }, d: { default: 9 } } }\nsteps: [{ id: c, if: input.n > 1, call: read.op, with: { d: "${{ input.d }}" } }]',
    );
    const at = (given: string) => {
      const { a } = stepsOf(
        preview(`steps: [{ id: s, call: read.op }, { id: a, call: child, with: { ${given} } }]`, {}, { more }).steps,
      );
      return a?.call?.workflow?.steps[0];
    };
    expect(at('n: 2')).toMatchObject({ runs: 'yes', call: { with: { value: { d: 9 } } } });
    expect(at('n: 1')).toMatchObject({ runs: 'no' });
    expect(at('n: "${{ steps.s.output }}"')).toMatchObject({ runs: 'maybe', if: { depends_on: ['its input'] } });
  });
});

describe('hooks', () => {
  test('that are scripts or built in are named, but not run', () => {
    const more = {
      'registry/hooks/PreAbilityCall.yaml': `${FILES['registry/hooks/PreAbilityCall.yaml']}\n${[
        '  - { id: asks, blocking: true, match: {}, handler: { script: { path: scripts/boom.mjs } } }',
        '  - { id: scoped, blocking: true, match: {}, handler: { builtin: credentials_present } }',
      ].join('\n')}`,
      'scripts/boom.mjs': 'throw new Error("it was run");',
    };
    const step = only(preview('steps: [{ id: a, call: read.op }]', {}, { more }));
    expect(step.call?.hooks).toMatchObject([
      { id: 'asks', handler: 'script', decision: null, asks: 'node scripts/boom.mjs' },
      { id: 'scoped', handler: 'builtin', decision: null, asks: 'credentials_present' },
    ]);
  });

  test('before creation that deny make the plan unavailable; those that ask people do so when the task begins', () => {
    const create = (handler: string) => ({
      'registry/hooks/PreAbilityCreate.yaml': `hooks: [{ id: first, blocking: true, match: { abilities: [w] }, handler: { expression: { ${handler}, reason: Why not. } } }]`,
    });
    const steps = 'steps: [{ id: a, call: read.op }]';
    const denied = preview(steps, { n: 1 }, { more: create('deny_if: input.n == 1') });
    expect([denied.status, denied.problems[0]?.code]).toEqual(['unavailable', 'guard.denied']);
    const confirming = preview(steps, { n: 1 }, { more: create('confirm_if: input.n == 1') });
    expect(confirming.start.approval).toMatchObject({ asked: 'yes', reasons: ['Why not. (hook first)'] });
    const keyed = preview(steps, { n: 1 }, { more: create('deny_if: task.key == "x"') });
    expect(keyed.creation[0]?.hooks[0]).toMatchObject({ decision: null, depends_on: ['the key of the task'] });
  });
});

test('a low-level ability is one call of itself, with the parameters of its implementation', () => {
  const registry = registryOf({
    ...FILES,
    ...lowLevel('d.op', `implementation: { kind: script, script: { path: scripts/any.mjs }, defaults: { size: 2 } }`),
  });
  const found = previewPlan(registry, {
    ability: 'd.op',
    environment: 'dev',
    input: { a: 1 },
    user: { name: 'c', source: 'claimed' },
  });
  expect(found.input).toEqual({ size: 2, a: 1 });
  expect(found.steps).toMatchObject([
    { id: 'run', runs: 'yes', call: { ability: 'd.op', with: { value: { size: 2, a: 1 } } } },
  ]);
});

describe('what a script receives', () => {
  const OP = lowLevel(
    'op',
    'input_schema: { properties: { host: {}, port: { default: 80 }, tags: {}, text: {} } }',
    'implementation:',
    '  kind: script',
    '  script:',
    '    path: scripts/any.mjs',
    '    args: ["--host=${{ input.host }}", "${{ input.port }}", { each: input.tags, as: tag, then: [-t, "${{ tag }}"] }, "--in={input_file}"]',
    '    stdin: "${{ input.text }}"',
    '    env: { REGION: "${{ environment.vars.region }}", TOKEN: "env:TOKEN", MODE: fast }',
  );
  const scriptOf = (yaml: string, input: JsonObject = {}) => only(preview(yaml, input, { more: OP })).call?.script;
  const calling = (input: string) => `steps: [{ id: a, call: op, with: ${input} }]`;

  test('is shown as it would be passed, with names in braces for what is known only at run time, and without any secret', () => {
    expect(scriptOf(calling('{ host: "${{ input.h }}", tags: [x y, z], text: hello }'), { h: 'db' })).toEqual({
      command: ['node', 'scripts/any.mjs', '--host=db', '80', '-t', 'x y', '-t', 'z', '--in={input_file}'],
      stdin: 'hello',
      env: { REGION: 'eu', TOKEN: 'env:TOKEN', MODE: 'fast' },
      depends_on: [],
      problem: null,
    });
  });

  test('depends on what is known only at run time', () => {
    const yaml =
      'steps: [{ id: first, call: read.op }, { id: a, call: op, with: { host: "${{ steps.first.output }}" } }]';
    const { a } = stepsOf(preview(yaml, {}, { more: OP }).steps);
    expect(a?.call?.script).toMatchObject({ command: null, depends_on: ['steps.first'], problem: null });
  });

  test('reports what is certain to be refused', () => {
    const script = scriptOf(calling('{ host: "${{ [environment.name] }}" }'));
    expect(script).toMatchObject({ command: null, problem: { code: 'input.invalid', details: { place: 'args[0]' } } });
  });
});

test('an undo is shown with its effect and who would be asked: covered by the approval of its call, or its own', () => {
  const undo = (more: string) => `undo: { call: write.op, with: { id: a }${more} }`;
  const yaml = `
steps:
  - { id: made, call: write.op, with: { id: a }, ${undo('')} }
  - { id: put, call: read.op, with: {}, ${undo('')} }
  - { id: asks, call: write.op, with: { id: a }, ${undo(', approval: required')} }`;
  const { made, put, asks } = stepsOf(preview(yaml, {}, { environment: 'prod' }).steps);
  expect(made?.undo).toMatchObject({ call: 'write.op', effects: 'destructive', covered: 'yes', approval: null });
  expect(put?.undo).toMatchObject({ effects: 'destructive', covered: 'no', approval: null });
  expect(asks?.undo).toMatchObject({ covered: 'no', approval: { people: ['alice', 'bob'], quorum: 2 } });
});
