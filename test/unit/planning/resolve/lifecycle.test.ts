import { describe, expect, test } from 'vitest';
import { listedAbilities } from '../../../../src/authoring/routing-documents/listed-abilities.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { EMPTY, rowsOf, updated } from '../../authoring/routing-documents/pool-of.js';
import { errorOf } from '../../error-of.js';
import { agent, lowLevel, registryOf, resolved, SCRIPT, SCRIPT_FILE, WITH_MODEL } from '../../temporary-project.js';

const OLD = lowLevel('old', 'status: deprecated', 'replaced_by: good', SCRIPT);
const GOOD = { ...SCRIPT_FILE, ...lowLevel('good', SCRIPT) };
const flow = (...lines: string[]) => ({
  'registry/high-level/flow.yaml': ['id: flow', 'type: workflow', 'summary: A flow.', ...lines].join('\n'),
});

describe('R-002-01: a deprecated ability', () => {
  test('causes a warning that names its replacement, when it is run and when it is called', () => {
    expect(resolved({ ...GOOD, ...OLD }, 'old').warnings).toEqual(['The ability old is deprecated; use good instead']);
    const calling = { ...GOOD, ...OLD, ...flow('steps: [{ id: a, call: old }]') };
    expect(resolved(calling, 'flow').warnings).toEqual([
      'flow calls the ability old, which is deprecated; use good instead',
    ]);
  });

  test('is warned of as an agent, and where an agent calls it', () => {
    const old = { ...GOOD, ...WITH_MODEL, ...agent('status: deprecated', 'replaced_by: good') };
    expect(resolved(old, 'helper').warnings).toEqual(['The ability helper is deprecated; use good instead']);
    expect(resolved({ ...old, ...flow('steps: [{ id: a, call: helper }]') }, 'flow').warnings).toEqual([
      'flow calls the ability helper, which is deprecated; use good instead',
    ]);
    expect(resolved({ ...GOOD, ...OLD, ...WITH_MODEL, ...agent('operations: [old]') }, 'helper').warnings).toEqual([
      'helper calls the ability old, which is deprecated; use good instead',
    ]);
  });

  test('causes a warning if it is deprecated with its module', () => {
    const files = {
      ...GOOD,
      ...lowLevel('in.users', 'scope: { modules: [modules/users/api] }', SCRIPT),
      'modules/overview/a.yaml':
        'id: users.api\nsummary: s\nstatus: deprecated\nreplaced_by: accounts\npath: scripts\n',
      'modules/overview/b.yaml': 'id: accounts\nsummary: s\nstatus: stable\npath: scripts\n',
    };
    expect(resolved(files, 'in.users').warnings).toEqual([
      'in.users belongs to the module users.api, which is deprecated; use accounts instead',
    ]);
    expect(resolved(files, 'good').warnings).toEqual([]);
  });

  test('is marked in its plan, while the plan of a stable ability is unchanged', () => {
    expect(resolved({ ...GOOD, ...OLD }, 'old').plan.ability).toMatchObject({
      status: 'deprecated',
      replaced_by: 'good',
    });
    const named = { ...SCRIPT_FILE, 'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {} }\n' };
    const plain = resolved({ ...named, ...lowLevel('good', SCRIPT) }, 'good').plan;
    const stable = resolved({ ...named, ...lowLevel('good', 'status: stable', SCRIPT) }, 'good').plan;
    expect(digestOf(stable)).toBe(digestOf(plain));
  });

  test.each([
    ['is not there', 'replaced_by: godo', /replaced by godo, which is not there/],
    ['is itself', 'replaced_by: old', /replaced by itself/],
  ])('must be replaced by something else that exists: %s', (_, line, message) => {
    const { problems } = registryOf({ ...GOOD, ...lowLevel('old', 'status: deprecated', line, SCRIPT) });
    expect(problems).toMatchObject([{ code: 'definition.unknown_reference', message: expect.stringMatching(message) }]);
  });

  test('has a mark before the text of its row, whoever wrote it, as long as it has this status', () => {
    const pool = (...lines: string[]) => listedAbilities(registryOf({ ...GOOD, ...lowLevel('old', ...lines, SCRIPT) }));
    const page =
      '<!-- ability:low-level -->\n| Operation key | Summary |\n|---|---|\n| old | Mine |\n<!-- /ability:low-level -->\n';
    const deprecated = pool('status: deprecated', 'replaced_by: good');
    const marked = updated(page, deprecated).text;
    expect(rowsOf(marked).old).toContain('| **[deprecated: use good]** Mine |');
    expect(updated(marked, deprecated).changes).toEqual([]);
    expect(rowsOf(updated(marked, pool()).text).old).toContain('| Mine |');
    const following = page.replace('| Mine |', '| |');
    const written = updated(following, pool('status: experimental')).text;
    expect(rowsOf(written).old).toContain('| **[experimental]** An operation of a test. |');
    expect(rowsOf(updated(written, pool('summary: Other.')).text).old).toContain('| Other. |');
  });
});

test('R-002-01, R-002-02: the files of the source state ids, relations and status of modules, abilities, hooks and routes', () => {
  const registry = registryOf({
    ...SCRIPT_FILE,
    'modules/overview/users.yaml':
      'id: users\nsummary: s\nstatus: stable\npath: scripts\ndepends_on: [accounts]\nabilities: [db.read, flow]\n',
    'modules/overview/accounts.yaml':
      'id: accounts\nsummary: s\nstatus: deprecated\nreplaced_by: users\npath: scripts\n',
    '.system/registry/low-level/db.read.yaml': `operation_key: db.read\nsummary: s\nstatus: deprecated\nreplaced_by: flow\nscope: { modules: [users] }\nhooks: { pre_call: [guard] }\n${SCRIPT}`,
    '.system/registry/high-level/flow.yaml':
      'id: flow\ntype: workflow\nsummary: s\nstatus: experimental\nsteps: [{ id: a, call: db.read }]\n',
    '.system/hooks/PreAbilityCall.yaml':
      'hooks: [{ id: guard, enabled: false, blocking: true, handler: { expression: { deny_if: "true" } } }]\n',
  });
  expect(registry.problems).toEqual([]);
  const { modules, operations, workflows, hooks } = registry;
  expect(modules.get('users')?.value).toMatchObject({
    status: 'stable',
    depends_on: ['accounts'],
    abilities: ['db.read', 'flow'],
  });
  expect(modules.get('accounts')?.value).toMatchObject({ status: 'deprecated', replaced_by: 'users' });
  expect(operations.get('db.read')?.value).toMatchObject({
    status: 'deprecated',
    replaced_by: 'flow',
    scope: { modules: ['users'] },
    hooks: { pre_call: ['guard'] },
  });
  expect(workflows.get('flow')?.value).toMatchObject({ status: 'experimental', steps: [{ call: 'db.read' }] });
  expect(hooks.get('PreAbilityCall')).toMatchObject([{ value: { id: 'guard', enabled: false } }]);
  expect(rowsOf(updated(EMPTY, listedAbilities(registry)).text)).toEqual({
    flow: '| flow | workflow | any | **[experimental]** s | .system/registry/high-level/flow.yaml |',
    'db.read': '| db.read | script | users | **[deprecated: use flow]** s | .system/registry/low-level/db.read.yaml |',
  });
});

/** The file of the source, verbatim. Source: 000, section 1.3.2. */
const SOURCE = `id: signup_e2e_test
type: workflow
version: 2
summary: Run the full signup E2E regression against staging (seed + run + verify + cleanup).
scope:
  environments: ["staging"]

input_schema:
  type: object
  required: ["build_id"]
  properties:
    build_id: { type: string }

output_schema:
  type: object
  required: ["status"]
  properties:
    status: { type: string, enum: ["success", "failure"] }
    report_path: { type: string }

routing_hints:
  keywords: ["signup e2e", "registration regression", "create account end-to-end"]
  notes: "Preferred over assembling low-level operations for signup verification."

hooks:
  pre_create: ["staging_readiness_check"]
  pre_call: ["approval_required_if_high_cost"]
  post_call: ["ability_usage_tracker"]
`;

describe('C-50: a high-level file without steps', () => {
  const hook = (id: string, handler: string) => `hooks: [{ id: ${id}, handler: ${handler} }]`;
  const files = {
    'ability.yaml': 'format: 1\nproject: p\nenvironments: { staging: {} }\n',
    'registry/high-level/signup_e2e.yaml': SOURCE,
    'registry/hooks/PreAbilityCreate.yaml': hook('staging_readiness_check', '{ expression: { deny_if: "false" } }'),
    'registry/hooks/PreAbilityCall.yaml': hook(
      'approval_required_if_high_cost',
      '{ expression: { deny_if: "false" } }',
    ),
    'registry/hooks/PostAbilityCall.yaml': hook('ability_usage_tracker', '{ builtin: usage }'),
  };

  test('loads as the source writes it, but cannot be planned', () => {
    const registry = registryOf(files);
    expect(registry.problems).toEqual([]);
    expect([...registry.workflows.keys()]).toEqual(['signup_e2e_test']);
    expect(errorOf(() => resolved(files, 'signup_e2e_test', 'staging')).code).toBe('ability.no_steps');
  });

  test('has version 1 if it states none', () => {
    expect(registryOf({ ...GOOD, ...flow() }).workflows.get('flow')?.value.version).toBe(1);
  });

  test('cannot be called either, and the error is at the call', () => {
    const caller = 'id: caller\ntype: workflow\nsummary: s\nsteps: [{ id: a, call: flow }]\n';
    const error = errorOf(() => resolved({ ...GOOD, ...flow(), 'registry/high-level/caller.yaml': caller }, 'caller'));
    expect([error.code, error.location?.file]).toEqual(['ability.no_steps', 'registry/high-level/caller.yaml']);
  });
});
