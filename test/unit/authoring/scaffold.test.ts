import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { MATCH_FIELDS } from '../../../src/authoring/choices.js';
import { planHighLevel } from '../../../src/authoring/scaffold/plan-high-level.js';
import { planHook } from '../../../src/authoring/scaffold/plan-hook.js';
import { planImplementation } from '../../../src/authoring/scaffold/plan-implementation.js';
import { planLowLevel } from '../../../src/authoring/scaffold/plan-low-level.js';
import { planScripts } from '../../../src/authoring/scaffold/plan-scripts.js';
import { type Scaffold, type Site, siteFolders } from '../../../src/authoring/scaffold/scaffold.js';
import type { KindChoice } from '../../../src/authoring/scaffold/scaffolded.js';
import { writeTogether } from '../../../src/authoring/write-together.js';
import type { AbilityError } from '../../../src/contracts/problem.js';
import { match as hookMatch } from '../../../src/definitions/formats/hooks.js';
import { loadRegistry, RegistryLoader } from '../../../src/definitions/load-registry.js';
import { lintProject } from '../../../src/lint/lint-project.js';
import { resolveEventHooks } from '../../../src/planning/hooks/resolve-event-hooks.js';
import { satisfies } from '../../../src/planning/input/schemas.js';
import { resolvePlan } from '../../../src/planning/resolve/resolve-plan.js';
import { missingProgram } from '../../../src/planning/scripts/resolve-confinement.js';
import { EnvironmentVariables } from '../../../src/planning/secrets/secret-source.js';
import {
  makeProject,
  operation,
  type ProjectFiles,
  type ProjectFolder,
  projectFile,
} from '../../fixtures/project-folder.js';
import { errorOf } from '../error-of.js';
import { agent } from '../temporary-project.js';

let project: ProjectFolder | undefined;
afterEach(() => project?.remove());

function siteOf(files: ProjectFiles = {}, environment = 'dev'): Site {
  project = makeProject({ 'ability.yaml': projectFile('{ dev: {}, prod: { approve: [read] } }'), ...files });
  const registry = loadRegistry(project.root);
  return { registry, folders: siteFolders(project.root), environment, fits: satisfies };
}

/** Writes a scaffold and loads the project again: it has no problems, and everything resolves. */
function settle(site: Site, { files, abilities }: Scaffold) {
  const { root } = site.registry;
  writeTogether(root, files);
  const registry = loadRegistry(root);
  expect(registry.problems).toEqual([]);
  const plans = abilities.map((id) => resolvePlan(registry, id, site.environment).plan);
  const yaml = (path: string) => parse(readFileSync(join(root, path), 'utf8'));
  return { registry, plans, root, yaml };
}

const script: KindChoice = { kind: 'script', language: 'node' };
const refused = async (plan: () => unknown): Promise<AbilityError> => errorOf(plan);

describe('a low-level ability', () => {
  test.each(['node', 'python', 'shell'] as const)(
    'of a script in %s returns its input under its contract [R-002-04, R-002-49]',
    (language) => {
      const site = siteOf();
      const { plans, root } = settle(
        site,
        planLowLevel(site, { key: 'log.write', choice: { kind: 'script', language }, scope: {} }),
      );
      const implementation = plans[0]?.operations['log.write']?.implementation;
      if (implementation?.kind !== 'script') throw new Error('not a script');
      expect(implementation.script.path).toMatch(/^scripts\/tools\/log\.write\./);
      project?.write({ 'in.json': '{"message":"hi"}' });
      const [program = join(root, implementation.script.path), ...rest] = [
        ...implementation.script.interpreter,
        join(root, implementation.script.path),
        ...['--input', 'in.json', '--output', 'out.json'],
      ];
      execFileSync(program, rest, { cwd: root });
      expect(JSON.parse(readFileSync(join(root, 'out.json'), 'utf8'))).toEqual({ message: 'hi' });
    },
  );

  test('of a destructive script is in a box where this machine has bubblewrap, and no other is', () => {
    const site = siteOf();
    const choice: KindChoice = { kind: 'script', language: 'node' };
    const boxOf = (effects: 'destructive' | 'write_additive') => {
      const { plans } = settle(site, planLowLevel(site, { key: `${effects}.it`, choice, scope: {}, effects }));
      const { implementation } = plans[0]?.operations[`${effects}.it`] ?? {};
      return implementation?.kind === 'script' ? implementation.script.sandbox : undefined;
    };
    const hasBox = missingProgram(new EnvironmentVariables(site.registry.root, 'dev')) === undefined;
    expect(boxOf('destructive')).toEqual(hasBox ? { read: [], write: [], allowed_hosts: [] } : undefined);
    expect(boxOf('write_additive')).toBeUndefined();
  });

  test('of a service has its address in the configuration, and the parameters of its path in its contract', () => {
    const site = siteOf();
    const choice: KindChoice = { kind: 'api', method: 'DELETE', path: '/users/{id}', endpoint: 'https://u.test' };
    const { plans } = settle(
      site,
      planLowLevel(site, { key: 'user.delete', choice, scope: { environments: ['dev'] } }),
    );
    expect(plans[0]?.operations['user.delete']).toMatchObject({
      effects: 'destructive',
      input_schema: { required: ['id'] },
      implementation: { api: { method: 'DELETE', base_url: 'https://u.test' } },
    });
  });

  test('of an MCP tool defines its server, or uses an existing one', async () => {
    const site = siteOf({ 'registry/config/mcp-servers.yaml': '# ours\nmcp_servers: { old: { command: node } }\n' });
    const choice: KindChoice = {
      kind: 'mcp',
      server: 'new',
      tool: 'a, {b}',
      definition: { command: 'node', args: [] },
    };
    const { plans, root } = settle(site, planLowLevel(site, { key: 't', choice, scope: {} }));
    expect(plans[0]?.operations.t?.implementation).toMatchObject({ mcp: { tool: 'a, {b}' } });
    expect(readFileSync(join(root, 'registry/config/mcp-servers.yaml'), 'utf8')).toMatch(/# ours[\s\S]*old[\s\S]*new/);
    const unknown = await refused(() =>
      planLowLevel(site, { key: 'u', choice: { kind: 'mcp', server: 'odl', tool: 'x' }, scope: {} }),
    );
    expect(unknown).toMatchObject({ code: 'definition.unknown_reference' });
    expect(unknown.suggestion).toMatch(/Did you mean old\? To define it, pass --command/);
  });

  test.each(['../x', '__proto__', 'constructor', 'a b', 'A', '', '/x', 'a/b', 'a\nb', 'x'.repeat(101)])(
    'cannot be called %j',
    async (key) => {
      const site = siteOf();
      expect((await refused(() => planLowLevel(site, { key, choice: script, scope: {} }))).code).toBe('usage.invalid');
    },
  );

  test('is distinguished from a file of cases, whatever its key', () => {
    const site = siteOf();
    const { plans } = settle(site, planLowLevel(site, { key: 'a.test', choice: script, scope: {} }));
    expect(plans[0]?.ability.id).toBe('a.test');
  });

  test('does not take an existing name, even of something broken', async () => {
    const site = siteOf({ ...operation('a', 'return {}'), 'registry/low-level/b.yaml': 'operation_key: b\nno: 1\n' });
    for (const key of ['a', 'b']) {
      expect(await refused(() => planLowLevel(site, { key, choice: script, scope: {} }))).toMatchObject({
        code: 'scaffold.exists',
      });
    }
  });

  test('quotes text that is hard to write in YAML', () => {
    const site = siteOf();
    const summary = 'a: b # c "d"\n{e} - ${{ f }}';
    const { registry } = settle(site, planLowLevel(site, { key: 'odd', summary, choice: script, scope: {} }));
    expect(registry.operations.get('odd')?.value.summary).toBe(summary);
  });

  test('is placed with the definitions of the project [C-18]', () => {
    const site = siteOf({ '.system/registry/config/a.yaml': 'abilities: []\n' });
    const { files } = planLowLevel(site, { key: 'a', choice: script, scope: {} });
    expect(files.map(({ path }) => path)).toEqual([
      'scripts/tools/a.mjs',
      '.system/registry/low-level/a.yaml',
      '.system/registry/low-level/a.test.yaml',
    ]);
    settle(site, { files, abilities: ['a'], notes: [], next: [] });
  });
});

describe('a workflow', () => {
  const schema = (text: string): { yaml: string } => ({ yaml: `input_schema: ${text}` });
  test('passes on the inputs that its calls require, with one name for inputs that mean the same', () => {
    const site = siteOf({
      ...operation('a.get', '', schema('{ required: [id, to-do], properties: { id: { type: string } } }')),
      ...operation('b.get', '', schema('{ required: [id], properties: { id: { type: string } } }')),
      ...operation('c', '', schema('{ required: [id], properties: { id: { type: integer } } }')),
    });
    const { yaml, plans } = settle(
      site,
      planHighLevel(site, { id: 'w', calls: ['a.get', 'b.get', 'c', 'c'], scope: {} }),
    );
    expect(yaml('registry/high-level/w.yaml').steps).toEqual([
      { id: 'get', call: 'a.get', with: { id: '${{ input.id }}', 'to-do': '${{ input["to-do"] }}' } },
      { id: 'get_2', call: 'b.get', with: { id: '${{ input.id }}' } },
      { id: 'c', call: 'c', with: { id: '${{ input.c_id }}' } },
      { id: 'c_2', call: 'c', with: { id: '${{ input.c_2_id }}' } },
    ]);
    expect(plans[0]?.ability.input_schema).toMatchObject({ required: ['id', 'to-do', 'c_id', 'c_2_id'] });
  });

  test('has a case with answers that the contracts allow, and with approvals if the environment requires them', () => {
    const output =
      'output_schema: { type: object, required: [n, at], properties: { n: { type: integer, minimum: 3 }, at: { type: string, format: date-time } } }';
    const site = siteOf(operation('a', '', { yaml: output }), 'prod');
    const { yaml } = settle(site, planHighLevel(site, { id: 'w', calls: ['a'], scope: {} }));
    expect(yaml('registry/high-level/w.test.yaml').cases).toMatchObject([
      {
        environment: 'prod',
        mocks: { a: { output: { n: 3, at: '2026-01-31T08:00:00Z' } } },
        approvals: { a: 'approve' },
      },
    ]);
  });

  test('reports why it has no case if no answer can be made up', () => {
    const site = siteOf(operation('a', '', { yaml: 'output_schema: { type: string, pattern: "^[0-9]+$" }' }));
    const { notes, files } = planHighLevel(site, { id: 'w', calls: ['a'], scope: {} });
    expect(notes[0]).toMatch(/no answer of a can be made up/);
    expect(files).toHaveLength(1);
  });

  test('calls an agent with the input that it needs, and says why it has no case', () => {
    const site = siteOf({
      ...agent(),
      'ability.yaml': projectFile('{ dev: {} }', 'models: { default: { model: m } }\n'),
    });
    const scaffold = planHighLevel(site, { id: 'w', calls: ['helper'], scope: {} });
    expect(scaffold.notes[0]).toMatch(/helper makes calls of its own, which would have to be mocked/);
    expect(settle(site, scaffold).yaml('registry/high-level/w.yaml').steps).toEqual([
      { id: 'helper', call: 'helper', with: { request: '${{ input.request }}' } },
    ]);
  });

  test('cannot call a missing ability', async () => {
    const site = siteOf(operation('user.get', ''));
    const error = await refused(() => planHighLevel(site, { id: 'w', calls: ['user.gte'], scope: {} }));
    expect(error).toMatchObject({ code: 'ability.not_found', suggestion: 'Did you mean user.get?' });
  });
});

describe('another implementation', () => {
  test('is not for an agent, and the message calls it one', async () => {
    const wanted = { id: 'two', operation: 'helper', choice: script, isDefault: false, isAllowed: false };
    const error = await refused(() => planImplementation(siteOf(agent()), { ...wanted, isForEnvironment: false }));
    expect(error.message).toBe('helper is an agent, which has no implementations');
  });

  const options = { operation: 'a', choice: script, isDefault: false, isAllowed: false, isForEnvironment: false };
  const chosen = ({ plans }: ReturnType<typeof settle>): string | null | undefined => plans[0]?.ability.implementation;

  test('changes nothing about what runs, unless it becomes the default', () => {
    const site = siteOf(operation('a', 'return {}'));
    expect(chosen(settle(site, planImplementation(site, { ...options, id: 'a.two' })))).toBe('a');
    const next = { ...site, registry: loadRegistry(site.registry.root) };
    expect(chosen(settle(next, planImplementation(next, { ...options, id: 'a.three', isDefault: true })))).toBe(
      'a.three',
    );
  });

  test('of an operation with one document keeps that document the default, and comments where they are', () => {
    const site = siteOf({
      'registry/low-level/a.yaml': 'operation_key: a\nsummary: A.\neffects: read\n',
      'registry/implementations/one.yaml': 'id: one\noperation_key: a\nkind: script\nscript: { path: s.mjs }\n',
      's.mjs': '',
      'registry/config/own.yaml': '# why\nabilities:\n  - id: a   # ours\n    allowed_implementations: [one]\n',
    });
    const { yaml, plans, root } = settle(site, planImplementation(site, { ...options, id: 'two', isAllowed: true }));
    expect(plans[0]?.ability.implementation).toBe('one');
    expect(yaml('registry/config/own.yaml').abilities).toEqual([
      { id: 'a', allowed_implementations: ['one', 'two'], default_implementation: 'one' },
    ]);
    expect(readFileSync(join(root, 'registry/config/own.yaml'), 'utf8')).toMatch(/^# why\n[\s\S]*# ours/);
  });

  test('can be the default of one environment only', () => {
    const site = siteOf(operation('a', 'return {}'));
    const forDev = { ...options, id: 'fake', isDefault: true, isForEnvironment: true };
    const settled = settle(site, planImplementation(site, forDev));
    expect(chosen(settled)).toBe('fake');
    expect(resolvePlan(settled.registry, 'a', 'prod').plan.ability.implementation).toBe('a');
  });

  test('of a service has its own endpoint next to that of another', () => {
    const site = siteOf();
    const api = (endpoint: string): KindChoice => ({ kind: 'api', method: 'GET', path: '/', endpoint });
    settle(site, planLowLevel(site, { key: 'a', choice: api('https://one.test'), scope: {} }));
    const next = { ...site, registry: loadRegistry(site.registry.root) };
    const plan = planImplementation(next, { ...options, id: 'two', choice: api('https://two.test'), isDefault: true });
    const { yaml, plans } = settle(next, plan);
    expect(yaml('registry/config/abilities.yaml').abilities[0].environments.dev.endpoints).toEqual({
      default: 'https://one.test',
      two: 'https://two.test',
    });
    expect(plans[0]?.operations.a?.implementation).toMatchObject({ api: { base_url: 'https://two.test' } });
  });

  test('returns what has a default in the input, like the first one, so that the case of the operation passes', () => {
    const yaml =
      'input_schema: { properties: { message: { type: string, default: Hello } } }\noutput_schema: { type: object, required: [message], properties: { message: { type: string } } }';
    const site = siteOf(operation('a', '', { yaml }));
    const { root } = settle(site, planImplementation(site, { ...options, id: 'two' }));
    expect(readFileSync(join(root, 'scripts/tools/two.mjs'), 'utf8')).toContain(
      'const output = { "message": input["message"] };',
    );
  });

  test('returns what the contract of the operation allows', () => {
    const yaml =
      'input_schema: { required: [id], properties: { id: { type: string } } }\noutput_schema: { type: object, required: [id, ok], properties: { id: { type: string }, ok: { type: boolean } } }';
    const site = siteOf(operation('a', '', { yaml }));
    const { root } = settle(site, planImplementation(site, { ...options, id: 'two' }));
    expect(readFileSync(join(root, 'scripts/tools/two.mjs'), 'utf8')).toContain(
      'const output = { "ok": true, "id": input["id"] };',
    );
  });

  test('is refused if the only one is in the configuration', async () => {
    const site = siteOf({
      ...operation('a', ''),
      'registry/config/c.yaml': 'abilities: [{ id: a, impl: { kind: script, script: { path: scripts/a.mjs } } }]\n',
    });
    expect(await refused(() => planImplementation(site, { ...options, id: 'two' }))).toMatchObject({
      code: 'config.invalid',
    });
  });
});

describe('a hook', () => {
  const hook = { id: 'guard', phase: 'PreAbilityCall', choice: { handler: 'expression' as const }, match: {} };

  test('is appended to the file of its phase, of which no byte changes', () => {
    const text =
      '# guards\nhooks:\n- id: first   # why\n  match: { tags: [ x ] }\n  blocking: true\n  handler: { expression: { deny_if: "true" } }\n';
    const site = siteOf({ 'registry/hooks/PreAbilityCall.yaml': text, ...operation('a', '') });
    const match = { environments: ['prod'], effects: ['destructive'] };
    const choice = { handler: 'expression' as const, deny_if: '!has(input.ticket)', reason: 'No: # ticket' };
    const { registry, root } = settle(site, planHook(site, { ...hook, match, choice }));
    expect(readFileSync(join(root, 'registry/hooks/PreAbilityCall.yaml'), 'utf8').startsWith(text)).toBe(true);
    expect(registry.hooks.get('PreAbilityCall')?.map(({ value }) => value)).toMatchObject([
      { id: 'first' },
      {
        id: 'guard',
        blocking: true,
        match,
        handler: { expression: { deny_if: '!has(input.ticket)', reason: 'No: # ticket' } },
      },
    ]);
  });

  test('matches kinds and callers, as the format does', () => {
    const site = siteOf(operation('a', ''));
    const match = { kinds: ['script', 'mcp'], callers: ['agent'] };
    const { registry } = settle(site, planHook(site, { ...hook, match }));
    expect(registry.hooks.get('PreAbilityCall')?.[0]?.value).toMatchObject({ id: 'guard', match });
    expect(MATCH_FIELDS).toEqual(Object.keys(hookMatch.shape));
  });

  test.each(['PreAbilityCreate', 'PreAbilityCall', 'PostAbilityCall'])(
    'of %s runs for an ability without further changes',
    (phase) => {
      const site = siteOf(operation('a', ''));
      for (const language of ['node', 'python', 'shell'] as const) {
        const at = { ...site, registry: loadRegistry(site.registry.root) };
        settle(at, planHook(at, { ...hook, id: `by_${language}`, phase, choice: { handler: 'script', language } }));
      }
      const { plans } = settle(site, { files: [], abilities: ['a'], notes: [], next: [] });
      const fired = Object.values(plans[0]?.operations.a?.hooks ?? {})
        .flat()
        .map(({ id }) => id);
      expect(fired).toEqual(['by_node', 'by_python', 'by_shell']);
    },
  );

  test.each(['SessionStart', 'PromptSubmit', 'SessionStop'] as const)(
    'of %s runs in a session without further changes [R-000-57]',
    (phase) => {
      const site = siteOf();
      const choices = [
        ...(['node', 'python', 'shell'] as const).map((language) => ({ handler: 'script' as const, language })),
        { handler: 'expression' as const },
      ];
      for (const [index, choice] of choices.entries()) {
        const at = { ...site, registry: loadRegistry(site.registry.root) };
        settle(at, planHook(at, { ...hook, id: `hook_${index}`, phase, choice }));
      }
      const scoped = { ...site, registry: loadRegistry(site.registry.root) };
      settle(scoped, planHook(scoped, { ...hook, id: 'elsewhere', phase, match: { environments: ['prod'] } }));
      const registry = loadRegistry(site.registry.root);
      const found = resolveEventHooks(registry, phase, { environment: 'dev', modules: [] });
      expect(found.map(({ id, blocking }) => [id, blocking])).toEqual(
        [0, 1, 2, 3].map((index) => [`hook_${index}`, phase === 'SessionStop' ? false : undefined]),
      );
    },
  );

  test('is said not to fire where its pattern fits nothing, and agents are something', () => {
    const notes = (pattern: string) => planHook(siteOf(agent()), { ...hook, match: { abilities: [pattern] } }).notes;
    expect(notes('help*')).toEqual([]);
    expect(notes('hlep*')).toEqual(['None of the abilities of this project fits hlep* yet, so it does not fire.']);
  });

  test('has a script next to the others that answers as a guard [R-002-28]', () => {
    const site = siteOf();
    const { root } = settle(site, planHook(site, { ...hook, choice: { handler: 'script', language: 'node' } }));
    const event = JSON.stringify({ ability_id: 'a', environment: { name: 'dev' } });
    const answer = execFileSync('node', [join(root, 'scripts/hooks/guard.mjs')], { input: event, encoding: 'utf8' });
    expect(JSON.parse(answer)).toMatchObject({ guard_decision: 'allow' });
  });

  test.each([
    [{ phase: 'PreAbilityCal' }, 'usage.invalid'],
    [{ phase: 'SessionEnd' }, 'usage.invalid'],
    [{ phase: 'SessionStart', match: { abilities: ['a'] } }, 'usage.invalid'],
    [{ phase: 'PromptSubmit', match: { abilities: ['a'] } }, 'usage.invalid'],
    [{ phase: 'SessionStop', match: { tags: ['a'] } }, 'usage.invalid'],
    [{ phase: 'SessionStop', choice: { handler: 'expression' as const, deny_if: 'true' } }, 'usage.invalid'],
    [{ phase: 'SessionStop', choice: { handler: 'builtin' as const, name: 'usage' as const } }, 'usage.invalid'],
    [{ choice: { handler: 'builtin' as const, name: 'usage' as const } }, 'usage.invalid'],
    [{ id: '../x' }, 'usage.invalid'],
    [{ id: '__proto__' }, 'usage.invalid'],
    [{ match: { effects: ['reed'] } }, 'usage.invalid'],
    [{ phase: 'PreAbilityCreate', match: { effects: ['read'] } }, 'usage.invalid'],
    [{ phase: 'PostAbilityCall', choice: { handler: 'expression' as const, deny_if: 'true' } }, 'usage.invalid'],
  ])('%j is refused', async (more, code) => {
    const site = siteOf();
    expect((await refused(() => planHook(site, { ...hook, ...more }))).code).toBe(code);
  });

  test('is not added to a file that cannot be read, or under an existing name', async () => {
    const broken = siteOf({ 'registry/hooks/PreAbilityCall.yaml': 'hooks: [\n' });
    expect((await refused(() => planHook(broken, hook))).code).toBe('definition.syntax');
    project?.remove();
    const site = siteOf();
    settle(site, planHook(site, hook));
    const next = { ...site, registry: loadRegistry(site.registry.root) };
    expect((await refused(() => planHook(next, hook))).code).toBe('scaffold.exists');
  });
});

test('a new file of servers begins with its schema, followed by the server', () => {
  const site = siteOf();
  const choice: KindChoice = { kind: 'mcp', server: 'logs', tool: 'find', definition: { command: 'node' } };
  const { files } = planLowLevel(site, { key: 'logs.find', choice, scope: {} });
  const servers = files.find(({ path }) => path.endsWith('mcp-servers.yaml'));
  expect(servers?.content).toMatch(/^# yaml-language-server: [^\n]*\nmcp_servers:\n {2}logs:\n/);
});

describe('existing scripts', () => {
  const SCRIPTS = {
    'scripts/db/Dump All.sh': '#!/bin/sh\n# Dump it: all of it\necho 1\n',
    'ops/count.py': '# -*- coding: utf-8 -*-\n"""Count things."""\n',
    'ops/bare.mjs': 'console.log(1);\n',
  };
  const pathsIn = (site: Site, files = Object.keys(SCRIPTS)) => files.map((file) => join(site.registry.root, file));
  const plannedIn = (site: Site, files: string[]) => {
    const planned = planScripts(site, { paths: pathsIn(site, files), scope: {} });
    return { ...settle(site, planned), abilities: planned.abilities };
  };

  test('become operations named after their path, and count as destructive until reviewed [R-002-04]', () => {
    const site = siteOf(SCRIPTS);
    const { plans, registry } = settle(site, planScripts(site, { paths: pathsIn(site), scope: {} }));
    expect(plans).toHaveLength(3);
    expect([...registry.operations].map(([key, { value }]) => [key, value.summary, value.effects]).sort()).toEqual([
      ['db.dump_all', 'Dump it: all of it', 'destructive'],
      ['ops.bare', 'Runs ops/bare.mjs.', 'destructive'],
      ['ops.count', 'Count things.', 'destructive'],
    ]);
  });

  test('get one input, the list of their arguments, and nothing is read from their text', () => {
    const options = { 'ops/greet.sh': '#!/usr/bin/env bash\nwhile getopts "g:l" o; do :; done\necho "${URL:?}"\n' };
    const site = siteOf({ ...options, 'ops/bare.mjs': 'console.log(1);\n' });
    chmodSync(join(site.registry.root, 'ops/greet.sh'), 0o644);
    const { plans, abilities, registry } = plannedIn(site, ['ops/greet.sh', 'ops/bare.mjs']);
    expect(abilities).toEqual(['ops.greet', 'ops.bare']);
    const scripts = plans.map((plan, at) => {
      const implementation = plan.operations[abilities[at] ?? '']?.implementation;
      if (implementation?.kind !== 'script') throw new Error('not a script');
      return implementation.script;
    });
    const args = [{ each: 'input.args', as: 'arg', items: [{ value: '${{ arg }}', option: 'allowed' }] }];
    expect(scripts.map((script) => script.args)).toEqual([args, args]);
    // The files have no executable bit, and `.sh` would be run by sh.
    expect(scripts.map(({ interpreter }) => interpreter)).toEqual([['/usr/bin/env', 'bash'], ['node']]);
    for (const { value } of registry.operations.values()) {
      expect(value).toMatchObject({ effects: 'destructive', implementation: { script: { output: 'text' } } });
      expect(value.input_schema).toMatchObject({
        additionalProperties: false,
        properties: { args: { type: 'array', items: { type: 'string' } } },
      });
      expect(value.input_schema).not.toHaveProperty('required');
    }
  });

  test('are described in comments that show how to name inputs and to lower the effect', () => {
    const site = siteOf(SCRIPTS);
    const [file] = planScripts(site, { paths: pathsIn(site, ['ops/bare.mjs']), scope: {} }).files;
    const comments = file?.content.split('\n').filter((line) => /^ *# /.test(line) && !line.includes('$schema'));
    expect(comments).toEqual([
      expect.stringMatching(/^# The gravest\. Lower it .*: write_additive, write_idempotent, external_read or read\.$/),
      expect.stringMatching(/^# A draft: .*`args`/),
      expect.stringContaining('SCRIPT --level 3 FILE'),
      '#   required: [file]',
      '#   properties:',
      expect.stringMatching(/^# {5}level: \{ type: integer/),
      '#     file: { type: string }',
      expect.stringMatching(/^ {4}# The same example; "--"/),
      '    #   - { if: has(input.level), then: [--level, "${{ input.level }}"] }',
      '    #   - "--"',
      '    #   - "${{ input.file }}"',
    ]);
  });

  test('with the same name in several folders get distinct ids', () => {
    const site = siteOf({ 'ops/a/dump.sh': 'echo 1\n', 'ops/b/dump.sh': 'echo 1\n', 'scripts/dump.sh': 'echo 1\n' });
    const { abilities, registry } = plannedIn(site, ['ops/a/dump.sh', 'ops/b/dump.sh', 'scripts/dump.sh']);
    expect(abilities).toEqual(['ops.a.dump', 'ops.b.dump', 'dump']);
    expect([...registry.operations.keys()].sort()).toEqual(['dump', 'ops.a.dump', 'ops.b.dump']);
  });

  test.each([
    ['a b; touch pwned.sh', 'ops.a_b_touch_pwned'],
    ['$(id).sh', 'ops._id_'],
    ['it\'s "q".sh', 'ops.it_s_q_'],
    ['-rf.sh', 'ops.-rf'],
    ['日本.sh', 'ops._'],
    ['{payload} ${{ input.args }}.sh', 'ops._payload_input.args_'],
    ['a: b # c.sh', 'ops.a_b_c'],
    ['x\n  effects: read.sh', 'ops.x_effects_read'],
    ['a\u001b[31m.sh', 'ops.a_31m'],
    ['a\u202eb.sh', 'ops.a_b'],
    ['__proto__.sh', 'ops.__proto__'],
  ])('named %j are written as data, without hidden characters', (name, key) => {
    const site = siteOf({ [`ops/${name}`]: 'echo 1\n' });
    const planned = planScripts(site, { paths: pathsIn(site, [`ops/${name}`]), scope: {} });
    expect(planned.files[0]?.content).toMatch(/^(?:\P{C}|\n)*$/u);
    const { registry, root } = settle(site, planned);
    expect(registry.operations.get(key)?.value).toMatchObject({
      effects: 'destructive',
      summary: `Runs ops/${name}.`,
      implementation: { script: { path: `ops/${name}` } },
    });
    const { findings } = lintProject(new RegistryLoader(root));
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('that an ability already runs are skipped and reported, so that the command can be repeated', () => {
    const site = siteOf({
      ...SCRIPTS,
      'registry/low-level/c.yaml':
        'operation_key: c\nsummary: c\nimplementation: { kind: script, script: { path: ./ops/count.py } }\n',
    });
    const { abilities, notes } = planScripts(site, { paths: pathsIn(site), scope: {} });
    expect(abilities).toEqual(['db.dump_all', 'ops.bare']);
    expect(notes[0]).toBe('Abilities run these already: ops/count.py (c).');
  });

  test('get the requested prefix, arguments, effect and scope', () => {
    const site = siteOf(SCRIPTS);
    const options = { prefix: 'night', effects: 'read', args: '', scope: { environments: ['dev'] } } as const;
    const scope = { environments: [...options.scope.environments] };
    const { plans, registry } = settle(
      site,
      planScripts(site, { ...options, scope, paths: pathsIn(site, ['ops/count.py']) }),
    );
    expect(registry.operations.get('night.count')?.value).toMatchObject({ effects: 'read', scope });
    expect(plans[0]?.operations['night.count']?.implementation).toMatchObject({ script: { args: [] } });
  });

  test.each([
    ['one that does not exist', ['ops/nope.sh'], /no script ops\/nope\.sh/],
    ['a folder', ['ops'], /no script ops /],
    ['one outside of the project', ['../x.sh'], /not in the project/],
    ['one whose name begins with a digit', ['1st.sh'], /^1st\.sh would be "1st"/],
    ['two that would have one name', ['ops/bare.mjs', 'ops/bare.sh'], /would both be ops\.bare/],
  ])('%s is refused', async (_, files, reason) => {
    const site = siteOf({ ...SCRIPTS, 'ops/bare.sh': 'echo 1\n', '1st.sh': 'echo 1\n' });
    const { message } = await refused(() => planScripts(site, { paths: pathsIn(site, files), scope: {} }));
    expect(message).toMatch(reason);
  });
});
