import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

let project: ProjectFolder;
beforeEach(() => {
  project = makeProject({
    ...operation('text.count', 'return { count: input.text.length };', {
      yaml: 'input_schema: { type: object, required: [text], properties: { text: { type: string } } }',
    }),
    ...workflow(
      'count_it',
      'input_schema: { type: object, properties: { text: { type: string } } }\nsteps: [{ id: one, call: text.count, with: { text: "${{ input.text }}" } }]',
    ),
    'registry/config/shop.yaml':
      'abilities: [{ id: text.count }]\nservices: { shop: { endpoints: { default: "http://127.0.0.1:1" } } }\n',
    'scripts/upper.sh': '#!/bin/sh\nprintf %s "$1" | tr a-z A-Z\n',
  });
});
afterEach(() => project.remove());

const UPPER = `# What a person wrote stays.
operation_key: text.upper
summary: Writes a text in capitals.
effects: read
input_schema: { type: object, required: [text], properties: { text: { type: string } } }
implementation:
  kind: script
  script: { path: scripts/upper.sh, args: ["\${{ input.text }}"], output: text }
`;
const HOOKS = `hooks:
  # Only while it is tried out.
  - id: no_secrets
    blocking: true
    match: { abilities: [text.count] }
    handler: { expression: { deny_if: "input.text == 'secret'", reason: It is secret. } }
  - { id: warns, blocking: true, match: { abilities: [text.count] }, handler: { expression: { warn_if: "true", reason: Warned. } } }
`;

const scaffold = (args: string[], input = '') => ability(['scaffold', ...args], { cwd: project.root, input });
const refusal = (args: string[], input = '') =>
  abilityJson(['scaffold', ...args], { cwd: project.root, input }).then(({ exitCode, json }) => ({
    exitCode,
    ...json.error,
  }));
const read = (file: string): string => readFileSync(join(project.root, file), 'utf8');
/** Every file with its content, except those of the runtime. */
const everything = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(project.root, { recursive: true, withFileTypes: true, encoding: 'utf8' })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('.system'))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );

test('an agent with a named model is resolved completely before it is written [C-46]', async () => {
  project.write({ 'ability.yaml': projectFile('{ dev: {} }', 'models: { default: { model: small } }') });
  const helper = 'id: helper\ntype: agent\nsummary: Helps.\ninstructions: Help.\noperations: [text.count]\n';
  const before = everything();
  expect(await refusal(['agent', '--from', '-'], `${helper}limits: { max_cost: 1 }\n`)).toMatchObject({
    code: 'config.missing_price',
  });
  expect(everything()).toEqual(before);
  expect(await scaffold(['agent', '--from', '-'], helper)).toMatchObject({ exitCode: 0 });
});

describe('a whole definition [C-46, R-002-58]', () => {
  test('of an operation is written unchanged, in its place, and runs', async () => {
    const first = await scaffold(['low-level', '--from', '-'], UPPER);
    expect(first).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('created  registry/low-level/text.upper.yaml'),
    });
    expect(read('registry/low-level/text.upper.yaml')).toBe(
      `# yaml-language-server: $schema=../schemas/low-level.schema.yaml\n${UPPER}`,
    );
    try {
      const { json } = await abilityJson(['run', 'text.upper', '--set', 'text=hi'], { cwd: project.root });
      expect(json).toMatchObject({ status: 'succeeded', output: { text: 'HI' } });
    } finally {
      await ability(['down'], { cwd: project.root });
    }
  });

  test('is accepted as JSON as well, and updates the routing documents', async () => {
    await ability(['docs'], { cwd: project.root });
    const definition = {
      id: 'shout',
      type: 'workflow',
      summary: 'Counts a text twice.',
      input_schema: { type: 'object', required: ['text'], properties: { text: { type: 'string' } } },
      steps: [{ id: 'one', call: 'text.count', with: { text: '$' + '{{ input.text }}' } }],
    };
    const { exitCode, stdout } = await scaffold(['high-level', '--from', '-'], JSON.stringify(definition, null, 2));
    expect(stdout).toContain('changed  ABILITY.md');
    expect(exitCode).toBe(0);
    expect((await abilityJson(['show', 'shout'], { cwd: project.root })).json).toMatchObject({
      definition: { id: 'shout' },
    });
  });

  test.each([
    [
      'agent',
      [],
      'id: helper\ntype: agent\nsummary: Helps.\ninstructions: Help.\noperations: [text.count]\n',
      'registry/high-level/helper.yaml',
    ],
    [
      'implementation',
      [],
      'id: text.quick\noperation_key: text.count\nkind: script\nscript: { path: scripts/upper.sh, args: [x] }\n',
      'registry/implementations/text.quick.yaml',
    ],
    [
      'cases',
      [],
      'ability: text.count\ncases: [{ name: one, input: { text: ab }, mocks: { run: { output: { count: 2 } } } }]\n',
      'registry/low-level/text.count.test.yaml',
    ],
    [
      'cases',
      ['edges'],
      'ability: count_it\ncases: [{ name: one, input: { text: ab }, mocks: { one: { output: { count: 2 } } } }]\n',
      'registry/high-level/edges.test.yaml',
    ],
    [
      'config',
      ['more'],
      'services: { mail: { endpoints: { default: "http://127.0.0.1:2" } } }\n',
      'registry/config/more.yaml',
    ],
    ['module', [], 'id: users\nsummary: Users.\nstatus: stable\npath: src/users\n', 'modules/overview/users.yaml'],
    [
      'capabilities',
      [],
      'capabilities: { speaking: { description: Speaks., keywords: [speak] } }\n',
      'registry/capabilities.yaml',
    ],
  ])('of the kind %s %j is written', async (kind, names, text, file) => {
    project.write({ 'draft.yaml': text });
    const { exitCode, stdout, stderr } = await scaffold([kind, ...names, '--from', 'draft.yaml']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.any(String) });
    expect(stdout).toContain(`created  ${file}`);
    expect(read(file)).toContain(text);
    const again = await refusal([kind, ...names, '--from', 'draft.yaml']);
    expect(again).toMatchObject({ exitCode: 2, code: 'scaffold.exists' });
  });

  const GET = `operation_key: user.get
summary: Reads a user.
effects: external_read
input_schema: { type: object, required: [id], properties: { id: { type: string } } }
implementation: { kind: api, api: { method: GET, path: "/users/{id}" } }
`;

  test('comes with its configuration if neither is valid without the other', async () => {
    const config =
      'abilities: [{ id: user.get, environments: { dev: { endpoints: { default: "http://127.0.0.1:9" } } } }]\n';
    project.write({ 'get.yaml': GET, 'config.yaml': config });
    expect(await refusal(['low-level', '--from', 'get.yaml'])).toMatchObject({
      code: 'config.missing_endpoint',
      location: { file: 'get.yaml', line: 5 },
    });
    const unfit = config.replace('user.get', 'user.got');
    expect(await refusal(['low-level', '--from', 'get.yaml', '--config', '-'], unfit)).toMatchObject({
      code: 'definition.unknown_reference',
      location: { file: 'stdin', line: 1 },
    });
    expect(existsSync(join(project.root, 'registry/config/user.get.yaml'))).toBe(false);
    expect((await scaffold(['low-level', '--from', 'get.yaml', '--config', 'config.yaml'])).stdout).toMatch(
      /created {2}registry\/low-level\/user\.get\.yaml\ncreated {2}registry\/config\/user\.get\.yaml/,
    );
    expect((await refusal(['low-level', 'x.y', '--kind', 'script', '--config', 'config.yaml'])).code).toBe(
      'usage.invalid',
    );
  });

  test('is tried out in an environment in which it is valid', async () => {
    project.write({ 'ability.yaml': projectFile('{ dev: {}, prod: {} }', 'default_environment: dev\n') });
    const text = UPPER.replace('effects:', 'scope: { environments: [prod] }\neffects:');
    expect(await scaffold(['low-level', '--from', '-'], text)).toMatchObject({ exitCode: 0 });
  });

  test('of hooks is added at the end of their phase, with its comments', async () => {
    project.write({ 'hooks.yaml': HOOKS });
    expect(await scaffold(['hook', '--phase', 'PreAbilityCall', '--from', 'hooks.yaml'])).toMatchObject({
      exitCode: 0,
    });
    expect(read('registry/hooks/PreAbilityCall.yaml')).toMatch(
      /# Only while it is tried out\.\n\s+- id: no_secrets[\s\S]*id: warns/,
    );
    const { json } = await abilityJson(['hooks', 'list'], { cwd: project.root });
    expect(JSON.stringify(json)).toContain('no_secrets');
    expect(await refusal(['hook', '--phase', 'PreAbilityCall', '--from', 'hooks.yaml'])).toMatchObject({
      exitCode: 2,
      code: 'scaffold.exists',
    });
    const third = {
      ...(await refusal(['hook', '--phase', 'PreAbilityCall', '--from', '-'], HOOKS.replaceAll('no_secrets', 'third'))),
    };
    expect(third).toMatchObject({ code: 'scaffold.exists', message: expect.stringContaining('warns') });
  });

  test('of packs is added to the existing ones', async () => {
    const pack = (id: string) =>
      `specialists:\n  ${id}: { description: One of them., workflow: count_it, capabilities: [planning] }\n`;
    expect(await scaffold(['packs', '--from', '-'], pack('first'))).toMatchObject({ exitCode: 0 });
    expect(await scaffold(['packs', '--from', '-'], pack('second'))).toMatchObject({ exitCode: 0 });
    expect(read('registry/packs.yaml')).toMatch(/first:[\s\S]*second:/);
    expect(await refusal(['packs', '--from', '-'], pack('first'))).toMatchObject({ code: 'scaffold.exists' });
  });
});

describe('a whole definition is refused with code and place, and nothing is written [C-46]', () => {
  const shout = (more: string) => `id: shout\ntype: workflow\nsummary: Shouts.\nsteps:\n  - id: one\n${more}`;

  test.each<[string, string[], string, object]>([
    ['invalid YAML', ['low-level'], 'a: [', { code: 'definition.syntax', location: { file: 'stdin', line: 1 } }],
    [
      'an unknown field',
      ['low-level'],
      `${UPPER}effect: read\n`,
      { code: 'definition.invalid', location: { file: 'stdin', line: 9 } },
    ],
    [
      'a missing script',
      ['low-level'],
      UPPER.replace('upper.sh', 'gone.sh'),
      { code: 'script.missing', location: { file: 'stdin', line: 8 } },
    ],
    ['an id that is taken', ['low-level'], UPPER.replace('text.upper', 'text.count'), { code: 'scaffold.exists' }],
    ['an id of a workflow', ['low-level'], UPPER.replace('text.upper', 'count_it'), { code: 'scaffold.exists' }],
    ['another id than the one named', ['low-level', 'text.lower'], UPPER, { code: 'usage.invalid' }],
    [
      'a call of an unknown ability',
      ['high-level'],
      shout('    call: text.gone\n'),
      { location: { file: 'stdin', line: 6 } },
    ],
    [
      'an invalid expression',
      ['high-level'],
      shout('    call: text.count\n    with: { text: "${{ input. }}" }\n'),
      { location: { file: 'stdin', line: 7 } },
    ],
    [
      'an agent as a workflow',
      ['high-level'],
      'id: a\ntype: agent\nsummary: A.\ninstructions: B.\n',
      { code: 'definition.invalid', suggestion: 'Run `ability scaffold agent --from FILE`.' },
    ],
    [
      'an agent with an unknown operation',
      ['agent'],
      'id: a\ntype: agent\nsummary: A.\ninstructions: B.\noperations: [gone.op]\n',
      { location: { file: 'stdin', line: 5 } },
    ],
    ['hooks without their phase', ['hook'], HOOKS, { code: 'usage.invalid' }],
    [
      'a hook with an invalid condition',
      ['hook', '--phase', 'PreAbilityCall'],
      HOOKS.replace("== 'secret'", '++'),
      { location: { file: 'stdin', line: 3 } },
    ],
    [
      'a service that is already configured',
      ['config', 'other'],
      'services: { shop: { endpoints: { default: "http://127.0.0.1:3" } } }\n',
      { code: 'scaffold.exists' },
    ],
    ['handlers of hooks as configuration', ['config', 'hooks_impl'], 'services: {}\n', { code: 'usage.invalid' }],
    ['a name that leads out of the folder', ['config', '../x'], 'services: {}\n', { code: 'usage.invalid' }],
    ['cases of an unknown ability', ['cases'], 'ability: gone\ncases: [{ name: n }]\n', { code: 'ability.not_found' }],
    [
      'cases that cannot be run',
      ['cases'],
      'ability: text.count\ncases: [{ name: n, environment: gone }]\n',
      { location: { file: 'stdin' } },
    ],
    [
      'flags that repeat the definition',
      ['low-level', '--summary', 'x'],
      UPPER,
      { code: 'usage.invalid', message: expect.stringContaining('--summary') },
    ],
    ['an empty definition', ['low-level'], ' \n', { code: 'usage.invalid' }],
  ])('%s', async (_, args, text, expected) => {
    const before = everything();
    const refused = await refusal([...args, '--from', '-'], text);
    expect(refused).toMatchObject(expected);
    expect([2, 3]).toContain(refused.exitCode);
    expect(everything()).toEqual(before);
    expect(existsSync(join(project.root, 'registry/hooks'))).toBe(false);
  });

  test('with all problems at once', async () => {
    const { details } = await refusal(
      ['low-level', '--from', '-'],
      `${UPPER.replace('read', 'reads')}one: 1\ntwo: 2\n`,
    );
    expect(details.problems.length).toBeGreaterThanOrEqual(3);
    expect(details.problems.every(({ location }: { location: { line: number } }) => location.line > 1)).toBe(true);
  });

  test('but not because of other faults in the project', async () => {
    project.write({ 'registry/low-level/broken.yaml': 'operation_key: broken\n' });
    expect(await scaffold(['low-level', '--from', '-'], UPPER)).toMatchObject({ exitCode: 0 });
  });

  test('a kind without a name or a definition is refused, naming both', async () => {
    const { exitCode, stderr } = await scaffold(['low-level']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: expect.stringMatching(/KEY, or a definition: --from FILE/),
    });
    expect((await scaffold(['agent'])).exitCode).toBe(2);
  });
});
