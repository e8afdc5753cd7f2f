import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/contracts/json.js';
import type { PlanStep } from '../../../src/contracts/plan.js';
import { AbilityError } from '../../../src/contracts/problem.js';
import { loadRegistry } from '../../../src/definitions/load-registry.js';
import type { Registry } from '../../../src/definitions/registry.js';
import { readSpecialists } from '../../../src/definitions/specialists.js';
import { satisfies } from '../../../src/planning/input/schemas.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../../src/planning/secrets/secret-source.js';
import { evaluateCondition } from '../../../src/rules/expressions/evaluate.js';
import { errorOf } from '../error-of.js';
import { temporaryFolder } from '../temporary-project.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
let registry: Registry;

beforeAll(() => {
  registry = loadRegistry(ROOT);
});

const operation = (key: string) => registry.operations.get(key)?.value;
const workflow = (id: string) => registry.workflows.get(id)?.value;

test('the definitions of the example project have no problems', () => {
  expect(registry.problems).toEqual([]);
});

test('every ability of the example project can be planned where it is available, except for what only a running system knows', () => {
  for (const [id, { value }] of [...registry.operations, ...registry.workflows]) {
    for (const environment of value.scope.environments ?? Object.keys(registry.project.environments)) {
      try {
        expect(resolvePlan(registry, id, environment).plan.ability.id).toBe(id);
      } catch (error) {
        expect(error).toBeInstanceOf(AbilityError);
        expect(['config.missing_credential', 'scope.environment']).toContain((error as AbilityError).code);
      }
    }
  }
});

describe('db.write.user_row', () => {
  test('R-000-33: its modules, environments, input and output are those of the source', () => {
    const { version, scope, input_schema, output_schema } = operation('db.write.user_row') ?? {};
    expect(version).toBe(1);
    expect(scope).toEqual({ modules: ['users.api', 'integration/tests'], environments: ['dev', 'staging'] });
    const accepts = (input: Record<string, string>) => satisfies(input_schema ?? {}, input);
    expect(accepts({ user_id: 'u-1', email: 'a@b.test' })).toBe(true);
    expect(accepts({ user_id: 'u-1', email: 'no address' })).toBe(false);
    expect(accepts({ user_id: 'u-1' })).toBe(false);
    expect(accepts({ email: 'a@b.test' })).toBe(false);
    const gives = (output: Record<string, string>) => satisfies(output_schema ?? {}, output);
    expect(gives({ status: 'success' })).toBe(true);
    expect(gives({ status: 'error', error_code: 'E1' })).toBe(true);
    expect(gives({ status: 'perhaps' })).toBe(false);
  });

  test('R-000-34: its hints are those of the source', () => {
    const hints = operation('db.write.user_row')?.routing_hints;
    expect(hints?.keywords).toEqual(['insert user', 'seed user', 'create test user']);
    expect(hints?.negative_keywords).toEqual(['prod', 'production']);
    expect(hints?.notes).toMatch(/prefer high-level signup workflows/i);
  });

  test('R-000-35: its hooks are those of the source', () => {
    expect(operation('db.write.user_row')?.hooks).toEqual({
      pre_create: ['nonprod_availability_check'],
      pre_call: ['prod_write_guard'],
      post_call: ['ability_usage_tracker'],
    });
  });
});

describe('signup_e2e_test', () => {
  test('R-000-40: its version, environment, input and output are those of the source', () => {
    const { version, type, scope, input_schema, output_schema } = workflow('signup_e2e_test') ?? {};
    expect([version, type, scope?.environments]).toEqual([2, 'workflow', ['staging']]);
    expect(satisfies(input_schema ?? {}, { build_id: '1234' })).toBe(true);
    expect(satisfies(input_schema ?? {}, {})).toBe(false);
    expect(satisfies(output_schema ?? {}, { status: 'success', report_path: 'x' })).toBe(true);
    expect(satisfies(output_schema ?? {}, { status: 'failure' })).toBe(true);
    expect(satisfies(output_schema ?? {}, { status: 'error' })).toBe(false);
    expect(satisfies(output_schema ?? {}, {})).toBe(false);
  });

  test('R-000-37: it has a summary, scenarios, a scope, and examples that its schemas allow', () => {
    const { summary, scenarios, scope, examples, input_schema, output_schema } = workflow('signup_e2e_test') ?? {};
    expect(summary).toMatch(/signup E2E/);
    expect(scenarios).toContain('Run signup E2E regression for the latest build.');
    expect(scope?.modules).toEqual(['integration/test']);
    for (const example of examples as { input: JsonObject; output: JsonObject }[]) {
      expect(satisfies(input_schema ?? {}, example.input)).toBe(true);
      expect(satisfies(output_schema ?? {}, example.output)).toBe(true);
    }
  });

  test('R-000-41: its hints and hooks are those of the source', () => {
    const { routing_hints, hooks } = workflow('signup_e2e_test') ?? {};
    expect(routing_hints?.keywords).toEqual(['signup e2e', 'registration regression', 'create account end-to-end']);
    expect([hooks?.pre_create, hooks?.pre_call, hooks?.post_call]).toEqual([
      ['staging_readiness_check'],
      ['approval_required_if_high_cost'],
      ['ability_usage_tracker'],
    ]);
  });

  test('R-000-42: seed, sign-up, logs and row come in this order, and the clean-up always runs last', () => {
    const { steps, finally: cleanup } = workflow('signup_e2e_test') ?? {};
    expect(callsIn((steps ?? []) as never)).toEqual([
      'db.write.user_row',
      'http.call.signup_service',
      'mcp.query.logs',
      'db.read.user_row',
    ]);
    expect(callsIn((cleanup ?? []) as never)).toEqual(['db.delete.user_row']);
  });
});

test('R-000-46: billing_regression requires a confirmation, because its implementation is tagged high-cost', () => {
  const own = { BILLING_SERVICE_URL: 'http://127.0.0.1:9', BILLING_API_TOKEN: 't' };
  const { plan } = resolvePlan(
    registry,
    'billing_regression',
    'staging',
    new EnvironmentVariables(ROOT, 'staging', own),
  );
  expect(plan.ability.tags).toContain('high-cost');
  const hook = plan.ability.hooks.pre_call.find(({ id }) => id === 'approval_required_if_high_cost');
  expect(hook?.handler).toMatchObject({ kind: 'expression', confirm_if: "'high-cost' in tags" });
  const condition = "'high-cost' in tags";
  expect(evaluateCondition(condition, { tags: plan.ability.tags })).toBe(true);
  expect(evaluateCondition(condition, { tags: ['fast'] })).toBe(false);
});

test('R-000-49: mcp.query.logs calls the tool search_logs of observability-logs, if that is configured', () => {
  const { implementation } = resolvePlan(registry, 'mcp.query.logs', 'staging').plan.operations['mcp.query.logs'] ?? {};
  expect(implementation).toMatchObject({
    kind: 'mcp',
    mcp: { server: { name: 'observability-logs' }, tool: 'search_logs' },
  });
  const filters = Object.keys((operation('mcp.query.logs')?.input_schema.properties ?? {}) as object);
  expect(filters).toEqual(expect.arrayContaining(['service', 'window', 'severity']));
  expect(errorOf(() => resolvePlan(registry, 'mcp.query.logs', 'prod')).code).toBe('scope.environment');
});

test('R-002-07, R-002-13: generate_example_data is a script that a configuration binds', () => {
  expect(operation('generate_example_data')?.implementation).toBeUndefined();
  expect(registry.configs.get('generate_example_data')?.value.impl).toMatchObject({
    kind: 'script',
    script: {
      path: 'scripts/tools/generate_example_data.py',
      args_template: '--input {input_file} --output {output_file}',
      timeout_sec: 60,
      env_profile: 'default',
    },
  });
  const { implementation } =
    resolvePlan(registry, 'generate_example_data', 'dev').plan.operations.generate_example_data ?? {};
  expect(implementation).toMatchObject({
    kind: 'script',
    timeout_ms: 60_000,
    script: {
      path: 'scripts/tools/generate_example_data.py',
      args: ['--input', '{input_file}', '--output', '{output_file}'],
    },
  });
});

test('R-000-08, R-000-11: code_review_agent is an agent of dev/code-review, and has its row on the page of integration', () => {
  const { type, scope, operations } = registry.agents.get('code_review_agent')?.value ?? {};
  expect([type, scope?.modules]).toEqual(['agent', ['dev/code-review']]);
  expect(operations?.map((key) => operation(key)?.effects)).toEqual(['read', 'read', 'read']);
  const page = readFileSync(join(ROOT, 'integration/ABILITY.md'), 'utf8');
  const cells =
    page
      .split('\n')
      .find((line) => line.startsWith('| code_review_agent |'))
      ?.split(' | ') ?? [];
  expect([cells[1], cells[2], cells[4]]).toEqual([
    'agent',
    'dev/code-review',
    'registry/high-level/code_review.yaml |',
  ]);
  expect(cells[3]).toMatch(/style, safety and interface changes/);
});

test.each(['engineering', 'research'])('R-004-14: the pack %s is an agent of the example project', (id) => {
  const pack = readSpecialists(registry).packs.find((one) => one.id === id);
  expect(registry.agents.get(pack?.workflow ?? '')?.value.type).toBe('agent');
});

test('C-01, R-002-16: the example project has hooks of all five events, each with a handler that exists', () => {
  const events = ['PromptSubmit', 'PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall', 'SessionStop'];
  expect([...registry.hooks.keys()].sort()).toEqual(events.sort());
  for (const { value } of [...registry.hooks.values()].flat()) {
    const { handler } = value;
    if (handler && 'script' in handler) expect(existsSync(join(ROOT, handler.script.path)), value.id).toBe(true);
  }
});

test('R-002-48: the end of a session leaves a line in the log of the example system', () => {
  const log = join(temporaryFolder(), 'log');
  const event = { session_id: 's-1', user_id: 'ada', payload: { reason: 'idle', turns: 2, tasks: [{}] } };
  const script = join(ROOT, 'examples/signup/hooks/session-audit.mjs');
  const env = { SIGNUP_LOG_FILE: log };
  const answer = JSON.parse(execFileSync(process.execPath, [script], { input: JSON.stringify(event), env }).toString());
  const message = 'session ended (idle) after 2 turns and 1 tasks';
  expect(answer).toEqual({ status: 'ok', infra: { log: [message] } });
  expect(JSON.parse(readFileSync(log, 'utf8'))).toMatchObject({ message, session_id: 's-1', user_id: 'ada' });
});

test('R-000-43: each agent of the example project can be planned, with a model that has a price', () => {
  for (const id of registry.agents.keys()) {
    const own = { SIGNUP_DATABASE_URL: 'postgres://127.0.0.1:1/none', SIGNUP_LOG_FILE: '/dev/null' };
    const { plan } = resolvePlan(registry, id, 'staging', new EnvironmentVariables(ROOT, 'staging', own));
    expect(plan.ability.id).toBe(id);
  }
});

function callsIn(steps: PlanStep[] | Record<string, PlanStep>): string[] {
  return Object.values(steps).flatMap((step) => {
    if ('call' in step) return [step.call];
    if ('steps' in step) return callsIn(step.steps);
    return 'parallel' in step ? callsIn(step.parallel as Record<string, PlanStep>) : [];
  });
}
