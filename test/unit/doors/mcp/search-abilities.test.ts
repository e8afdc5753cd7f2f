import { afterEach, expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { RegistryLoader } from '../../../../src/definitions/load-registry.js';
import { describeAbility } from '../../../../src/doors/mcp/describe-ability.js';
import { exposedTools, unexposed } from '../../../../src/doors/mcp/expose-abilities.js';
import type { McpDoor, ToolCall } from '../../../../src/doors/mcp/mcp-door.js';
import { plan } from '../../../../src/doors/mcp/plan-ability.js';
import { search } from '../../../../src/doors/mcp/search-abilities.js';
import { rightsOf } from '../../../../src/rules/rights.js';
import {
  makeProject,
  operation,
  type ProjectFiles,
  type ProjectFolder,
  workflow,
} from '../../../fixtures/project-folder.js';
import { agent } from '../../temporary-project.js';

let project: ProjectFolder;
afterEach(() => project.remove());

function callIn(files: ProjectFiles, more: Partial<McpDoor> = {}): ToolCall {
  project = makeProject(files);
  const loader = new RegistryLoader(project.root);
  const door = {
    registry: () => loader.load(),
    environment: 'dev',
    env: {},
    scope: 'integration',
    expose: [],
    typed: (text: string) => text,
    ...more,
  };
  const caller = { name: 'ada', source: 'claimed', agent: 'probe' } as const;
  const visitor = { rights: rightsOf('read', 'run') };
  return { door: door as unknown as McpDoor, visitor, caller } as unknown as ToolCall;
}

const found = async (call: ToolCall, query?: string, limit = 20) => {
  const { data } = await search(call, { ...(query !== undefined && { query }), detail: 'summary', limit });
  return [(data.abilities as { id: string }[]).map(({ id }) => id), data.total];
};

const FILES: ProjectFiles = {
  ...operation('db.write.user_row', 'return 1;', { effects: 'write_additive' }),
  ...operation('db.read.user_row', 'return 1;', { yaml: 'routing_hints: { keywords: [Lookup] }' }),
  ...operation('prod.only', 'return 1;', { yaml: 'scope: { environments: [prod] }' }),
  ...workflow('user_signup', 'scenarios: [A user signs up]\nsteps: [{ id: seed, call: db.write.user_row }]'),
  ...workflow('no_steps_yet', ''),
  'ability.yaml': 'format: 1\nproject: p\nenvironments: { dev: {}, prod: {} }\ndefault_environment: dev\n',
};

test('reports which ranker answered if the project uses embeddings, and why these were not used', async () => {
  const policy = 'policy: { embeddings: { model: small } }';
  const call = callIn({ ...FILES, 'ability.yaml': `${FILES['ability.yaml']}${policy}\n` });
  const { data } = await search(call, { query: 'write a user row', detail: 'name', limit: 1 });
  expect(data).toMatchObject({
    abilities: [{ id: 'db.write.user_row' }],
    ranker: 'words',
    warning: 'ranked by words alone: neither OPENAI_BASE_URL nor OPENAI_API_KEY is set',
  });
});

test('lists everything that can run here, or what fits a request', async () => {
  const call = callIn(FILES);
  expect(await found(call)).toEqual([['user_signup', 'db.read.user_row', 'db.write.user_row'], 3]);
  expect(await found(call, 'write a user row')).toEqual([['db.write.user_row', 'db.read.user_row', 'user_signup'], 3]);
  expect(await found(call, 'lookup')).toEqual([['db.read.user_row'], 1]);
  expect(await found(call, 'looking')).toEqual([[], 0]);
  expect(await found(call, 'signs')).toEqual([['user_signup'], 1]);
  expect((await found(call, 'write a user row', 1))[0]).toEqual(['db.write.user_row']);
});

test('offers agents, which run as any ability, if they have a model', async () => {
  const models = `${FILES['ability.yaml']}models: { default: { model: any } }\n`;
  const files = { ...FILES, ...agent('operations: [db.read.user_row]', 'scenarios: [Why did it fail?]') };
  expect(await found(callIn(files))).toEqual([['user_signup', 'db.read.user_row', 'db.write.user_row'], 3]);
  const call = callIn({ ...files, 'ability.yaml': models }, { expose: ['help*'] });
  expect((await found(call))[0]).toEqual(['helper', 'user_signup', 'db.read.user_row', 'db.write.user_row']);
  expect(await found(call, 'why did it fail')).toEqual([['helper'], 1]);
  expect((await describeAbility(call, { id: 'helper' })).data).toMatchObject({
    level: 'high',
    effects: 'read',
    calls: ['db.read.user_row', 'model:default'],
  });
  expect([...exposedTools(call.door, call.visitor.rights).keys()]).toEqual(['helper']);
});

test('describes each ability as an agent needs it to decide, in the requested detail; or reports that nothing fits', async () => {
  const call = callIn(FILES);
  const { data } = await search(call, { query: 'signs', detail: 'summary', limit: 1 });
  const reason = 'it has signs of the request';
  const named = { id: 'user_signup', level: 'high', score: expect.any(Number), reason, effects: 'write_additive' };
  const summed = { ...named, summary: 'A test.', type: 'workflow', placement: 'local' };
  expect(data).toEqual({ abilities: [summed], total: 1 });
  const names = await search(call, { query: 'signs', detail: 'name', limit: 1 });
  expect(names.data.abilities).toEqual([named]);
  const whole = await search(call, { query: 'signs', detail: 'schema', limit: 1 });
  expect(whole.data.abilities).toEqual([{ ...summed, input_schema: { type: 'object' }, output_schema: null }]);
  const nothing = await search(call, { query: 'a recipe for pancakes', detail: 'summary', limit: 5 });
  expect(nothing.data).toEqual({ abilities: [], total: 0, nothing_fits: true, nearest: [] });
});

test('describes the contract, the guards, and who approves', async () => {
  const call = callIn({
    ...operation('op.one', 'return 1;', { effects: 'destructive', yaml: 'hooks: { pre_call: [ask_me] }' }),
    ...workflow('both', 'steps: [{ id: a, call: op.one }, { id: g, approval: { title: Go?, quorum: 2 } }]'),
    'registry/hooks/PreAbilityCall.yaml':
      'hooks:\n  - { id: ask_me, handler: { expression: { confirm_if: "true", reason: Really? } } }\n',
    'ability.yaml': [
      'format: 1',
      'project: p',
      'people: { leads: [ada, bob] }',
      'environments: { dev: { approve: [destructive], approvers: [leads], self_approval: false } }',
    ].join('\n'),
  });
  const who = { who: 'ada, bob', requester_may: false };
  expect((await describeAbility(call, { id: 'both' })).data).toMatchObject({
    id: 'both',
    level: 'high',
    effects: 'destructive',
    calls: ['op.one'],
    guards: ['ask_me'],
    approvals: [
      { before: 'op.one', because: 'destructive', people_needed: 1, ...who },
      { at: 'g', title: 'Go?', people_needed: 2, ...who },
    ],
  });
  const { data, isError } = await plan(call, { id: 'both' });
  expect(isError).toBe(false);
  expect(data).toMatchObject({
    status: 'available',
    guards: [{ id: 'ask_me', decision: 'need_user_confirm', reason: 'Really?' }],
    approvals: [{ asked: 'yes', who: 'ada, bob' }, { title: 'Go?' }],
    calls: [{ step: 'a', runs: 'yes', ability: 'op.one', effects: 'destructive' }],
    reference: expect.stringMatching(/^[0-9a-f]{64}\.[0-9a-f]{64}$/),
  });
  await expect(describeAbility(call, { id: 'bith' })).rejects.toMatchObject({
    code: 'ability.not_found',
    suggestion: 'Did you mean both?',
  });
});

test('exposes abilities with a unique tool name; references of a schema to itself stay valid', () => {
  const output =
    '{ $defs: { n: { type: integer } }, properties: { n: { $ref: "#/$defs/n" }, ref: { const: { $ref: "#" } } } }';
  const { door } = callIn(
    {
      ...operation('a.b', 'return 1;'),
      ...operation('a_b', 'return 1;'),
      ...operation('ability.run', 'return 1;'),
      ...operation('typed.op', 'return 1;', { effects: 'write_idempotent', yaml: `output_schema: ${output}` }),
    },
    { expose: ['*', 'zzz.*'] },
  );
  const tools = exposedTools(door, rightsOf('read', 'run'));
  expect([...tools.keys()]).toEqual(['typed_op']);
  const { outputSchema, annotations } = tools.get('typed_op')?.listed ?? {};
  const properties = outputSchema?.properties as Record<string, Json>;
  expect(properties.output).toMatchObject({
    properties: { n: { $ref: '#/properties/output/$defs/n' }, ref: { const: { $ref: '#' } } },
  });
  expect(annotations).toEqual({ readOnlyHint: false, destructiveHint: false, idempotentHint: true });
  expect(unexposed(door)).toEqual([
    'No ability that can be run in dev fits --expose zzz.*',
    ...['a.b', 'a_b', 'ability.run'].map(
      (id) => `${id} is no tool of its own: another tool would be called ${id.replace('.', '_')} as well`,
    ),
  ]);
});

test('a plan shows the approvals and guards at the start of called workflows and in error handlers, and none of steps that do not run', async () => {
  const call = callIn({
    ...operation('op.one', 'return 1;'),
    ...operation('op.two', 'return 1;', { yaml: 'hooks: { pre_call: [never_met] }' }),
    ...workflow('inner', 'hooks: { pre_call: [ask_me] }\nsteps: [{ id: a, call: op.one }]'),
    ...workflow(
      'outer',
      [
        'steps:',
        '  - { id: b, call: inner }',
        '  - { id: n, if: "false", approval: { title: Never? } }',
        '  - { id: m, if: "false", call: op.two }',
        'on_error: [{ steps: [{ id: h, approval: { title: Mended? } }] }]',
      ].join('\n'),
    ),
    'registry/hooks/PreAbilityCall.yaml': [
      'hooks:',
      '  - { id: ask_me, handler: { expression: { confirm_if: "true", reason: Really? } } }',
      '  - { id: never_met, handler: { expression: { deny_if: "true", reason: No. } } }',
    ].join('\n'),
  });
  const { data } = await plan(call, { id: 'outer' });
  expect(data).toMatchObject({
    guards: [{ id: 'ask_me' }],
    approvals: [{ because: ['Really? (hook ask_me)'] }, { title: 'Mended?' }],
    calls: [{ ability: 'inner' }, { ability: 'op.one' }],
  });
});
