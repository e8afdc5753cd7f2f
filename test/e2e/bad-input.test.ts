import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { agent, modelProgram, models } from '../fixtures/agents.js';
import { ability, abilityJson } from '../fixtures/called-command.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';

/** A port on which nothing listens. */
function closedPort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

let project: ProjectFolder;
let lonely: ProjectFolder;

beforeAll(async () => {
  const port = await closedPort();
  project = makeProject({
    'ability.yaml': projectFile(
      '{ dev: {}, prod: { protected: true } }',
      `default_environment: dev\n${models({ counts: '' })}`,
    ),
    'registry/config/all.yaml': `
abilities:
  - id: http.call.unreachable
    environments: { dev: { endpoints: { default: "http://127.0.0.1:${port}" }, credentials: {} } }
  - id: http.call.secret
    environments: { dev: { endpoints: { default: "http://127.0.0.1:${port}" }, credentials: { token: "env:NOWHERE_TOKEN" } } }
  - id: several.ways
    allowed_implementations: [one, two]
mcp_servers:
  dead: { command: node, args: ["-e", "console.error('I am dead'); process.exit(3)"] }
`,
    'registry/hooks/PreAbilityCreate.yaml': `
hooks:
  - { id: closed, handler: { expression: { deny_if: "true", reason: The books are closed., suggestion: Try again tomorrow. } } }
  - { id: peak, handler: { expression: { warn_if: "true", reason: "This ability is slow and better run off-peak in staging." } } }
`,
    'registry/hooks/PreAbilityCall.yaml': `
hooks:
  - { id: never, handler: { expression: { deny_if: "true", reason: Never. } } }
  - { id: broken, handler: { script: { path: scripts/util.echo.mjs } } }
`,
    ...operation('util.echo', 'return input;', {
      yaml: 'input_schema: { type: object, properties: { n: { type: integer }, text: { type: string } }, additionalProperties: false }',
    }),
    ...operation('util.regression', 'return input;', {
      yaml: 'hooks: { pre_create: [peak] }\ninput_schema: { type: object, required: [n], properties: { n: { type: integer } } }',
    }),
    ...agent('helper', 'model: counts\noperations: [util.echo]'),
    ...modelProgram('counts', "return 'done';"),
    ...operation('util.exit', 'process.stderr.write("went wrong\\n"); process.exit(9);', { effects: 'write_additive' }),
    ...operation('util.hang', 'await sleep(600_000);', { effects: 'write_additive', script: ', timeout_sec: 1' }),
    ...operation('util.prod_only', 'return 1;', { yaml: 'scope: { environments: [prod] }' }),
    ...operation('util.denied', 'return 1;', { yaml: 'hooks: { pre_call: [never] }' }),
    ...operation('util.closed', 'return 1;', { yaml: 'hooks: { pre_create: [closed] }' }),
    ...operation('util.unguarded', 'return 1;', { yaml: 'hooks: { pre_call: [broken] }' }),
    ...operation('util.wrong_hook', 'return 1;', { yaml: 'hooks: { pre_call: [nevr] }' }),
    ...operation('util.bad_schema', 'return 1;', { yaml: 'input_schema: { type: objekt }' }),
    'registry/low-level/no.script.yaml':
      'operation_key: no.script\nsummary: x\nimplementation: { kind: script, script: { path: scripts/nowhere.py } }\n',
    'registry/low-level/no.implementation.yaml': 'operation_key: no.implementation\nsummary: x\neffects: read\n',
    'registry/low-level/outside.yaml':
      'operation_key: outside.root\nsummary: x\nimplementation: { kind: script, script: { path: ../../etc/hostname } }\n',
    'registry/low-level/several.yaml': 'operation_key: several.ways\nsummary: x\neffects: read\n',
    'registry/implementations/one.yaml':
      'id: one\noperation_key: several.ways\nkind: script\nscript: { path: scripts/util.echo.mjs }\n',
    'registry/implementations/two.yaml':
      'id: two\noperation_key: several.ways\nkind: script\nscript: { path: scripts/util.echo.mjs }\n',
    'registry/low-level/unreachable.yaml':
      'operation_key: http.call.unreachable\nsummary: x\neffects: write_additive\nimplementation: { kind: api, api: { method: POST } }\n',
    'registry/low-level/secret.yaml':
      'operation_key: http.call.secret\nsummary: x\neffects: read\nimplementation: { kind: api, api: { headers: { authorization: "Bearer {credential:token}" } } }\n',
    'registry/low-level/dead.yaml':
      'operation_key: mcp.query.dead\nsummary: x\neffects: read\nimplementation: { kind: mcp, mcp: { server: dead, tool: t } }\n',
    'registry/low-level/no_server.yaml':
      'operation_key: mcp.query.none\nsummary: x\neffects: read\nimplementation: { kind: mcp, mcp: { server: ded, tool: t } }\n',
    'registry/low-level/syntax.yaml': 'operation_key: broken.syntax\nsummary: "never closed\n',
    'registry/low-level/keys.yaml': 'operation_key: broken.keys\nsumary: x\nsummary: y\n',
    'registry/low-level/twice.yaml': 'operation_key: util.twice\nsummary: x\n',
    'registry/low-level/twice-again.yaml': 'operation_key: util.twice\nsummary: x\n',
    ...workflow('bad_expression', 'steps: [{ id: a, let: { x: "${{ input. }}" } }]'),
    ...workflow('bad_step', 'steps: [{ id: a, call: util.ecko, with: {} }]'),
    ...workflow('bad_verb', 'steps: [{ id: a, uses: util.echo }]'),
    ...workflow('bad_key', 'concurrency: { key: "x-${{ steps.a.output }}" }\nsteps: [{ id: a, call: waits }]'),
    ...workflow('calls_itself', 'steps: [{ id: a, call: calls_itself }]'),
    ...workflow('waits', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
    ...workflow('fails', 'steps: [{ id: a, fail: { code: mine, message: As planned } }]'),
    'input.json': '{ "n": 1 }',
    'broken.json': '{ "n": ',
  });
  lonely = makeProject({ 'ability.yaml': projectFile('{ a: {}, b: {} }'), ...operation('util.echo', 'return 1;') });
  await ability(['up', '--detach'], { cwd: project.root });
  await ability(['task', 'create', 'util.echo', '--set', 'n=1', '--key', 'taken'], { cwd: project.root });
});
afterAll(async () => {
  await ability(['down'], { cwd: project.root });
  await ability(['down'], { cwd: lonely.root });
  project.remove();
  lonely.remove();
});

/** Arguments; exit code; error code; the message; the suggestion. */
type Row = [args: string[], exit: number, code: string, message: RegExp, suggestion?: RegExp];

const USAGE: Row[] = [
  [['run'], 2, 'usage.invalid', /missing required argument 'id'/],
  [['rum', 'x'], 2, 'usage.invalid', /unknown command 'rum'/, /Did you mean run\?/],
  [['frobnicate', 'x'], 2, 'usage.invalid', /unknown command 'frobnicate'/, /See `ability --help`/],
  [['run', 'util.echo', '--jsn'], 2, 'usage.invalid', /unknown option '--jsn'/, /--json/],
  [['run', 'util.echo', '--direct', '--key', 'k'], 2, 'usage.invalid', /--direct promises no key/],
  [['run', 'util.echo', '--direct', '--detach'], 2, 'usage.invalid', /does not go with --detach/],
  [['run', 'util.echo', '--timeout', '5 minutes'], 2, 'usage.invalid', /--timeout 5 minutes/, /10m/],
  [['run', 'util.echo', '--set', 'n'], 2, 'usage.invalid', /--set n is no assignment/, /name=text/],
  [['task', 'list', '--status', 'runing'], 2, 'usage.invalid', /no state runing/, /Did you mean running/],
  [['task', 'list', '--limit', '0'], 2, 'usage.invalid', /--limit 0/],
  [['worker'], 2, 'usage.invalid', /server that must be named/, /ability up/],
  [['explain', 'guard.denyed'], 2, 'usage.invalid', /neither an error code nor a lint code/, /guard\.denied/],
];

const INPUT: Row[] = [
  [['run', 'util.echo', '--input', '{n: 1}'], 2, 'input.invalid', /--input is no JSON/, /@file/],
  [['run', 'util.echo', '--input', '[1]'], 2, 'input.invalid', /a list, not a map/],
  [['run', 'util.echo', '--input', '@nowhere.json'], 2, 'input.invalid', /nowhere\.json cannot be read/],
  [['run', 'util.echo', '--input', '@broken.json'], 2, 'input.invalid', /no JSON/],
  [['run', 'util.echo', '--set', 'n=one'], 2, 'input.invalid', /"one" is not of type integer/],
  [['run', 'util.echo', '--set', 'n:=1.5'], 2, 'input.invalid', /`n` must be integer/],
  [['run', 'util.echo', '--set', 'm=1'], 2, 'input.invalid', /`m` is not allowed/],
  [['run', 'util.echo', '--input', '{"__proto__": {"x": 1}}'], 2, 'input.invalid', /"__proto__" is not allowed/],
  [
    ['run', 'util.echo', '--set', 'n=2', '--key', 'taken'],
    2,
    'task.key_conflict',
    /taken already belongs to util\.echo/,
    /another key/,
  ],
  [['run', 'util.echo', '--key', '../evil'], 2, 'task.key_invalid', /"\.\.\/evil" is no task key/],
];

const DEFINITIONS: Row[] = [
  [['run', 'util.ecko'], 2, 'ability.not_found', /no ability util\.ecko/, /Did you mean util\.echo/],
  [['show', 'nothing_like_it'], 2, 'ability.not_found', /no ability/, /ability list/],
  [['run', 'broken.syntax'], 2, 'definition.syntax', /Not valid YAML/],
  [['run', 'broken.keys'], 2, 'definition.invalid', /Unknown key `sumary`/, /summary/],
  [['run', 'util.twice'], 2, 'definition.duplicate', /defined twice, in registry\/low-level\/twice.*yaml:1:1 and/],
  [['run', 'util.bad_schema'], 2, 'definition.invalid', /not a JSON Schema/],
  [['run', 'util.wrong_hook'], 2, 'definition.unknown_reference', /no hook nevr/, /Did you mean never/],
  [['run', 'outside.root'], 2, 'definition.invalid', /outside the project/],
  [['run', 'mcp.query.none'], 2, 'definition.unknown_reference', /no MCP server ded/, /Did you mean dead/],
  [['run', 'bad_expression'], 2, 'expression.syntax', /not valid/],
  [['run', 'bad_step'], 2, 'definition.unknown_reference', /no ability `util\.ecko`/, /util\.echo/],
  [['run', 'bad_verb'], 2, 'definition.invalid', /exactly one verb|Unknown key `uses`/],
  [['run', 'bad_key'], 2, 'expression.syntax', /`steps` is not defined/, /input, environment/],
  [['run', 'calls_itself'], 2, 'definition.invalid', /a workflow cannot call itself/, /`repeat` or `foreach`/],
  [['run', 'util.echo', '--env', 'stagin'], 2, 'environment.not_found', /no environment stagin/],
];

const TASKS: Row[] = [
  [['task', 'show', 'unknown-key'], 2, 'task.not_found', /no task unknown-key/, /task list/],
  [['task', 'run', 'unknown-key'], 2, 'task.not_found', /no task/],
  [['task', 'cancel', 'unknown-key'], 2, 'task.not_found', /no task/],
  [['task', 'watch', 'unknown-key'], 2, 'task.not_found', /no task/],
  [['task', 'record', 'unknown-key'], 2, 'task.not_found', /no task/],
  [['task', 'record', '../../x'], 2, 'task.not_found', /no task key/],
  [['task', 'get', 'taken', 'm'], 2, 'usage.invalid', /no field m/, /n/],
  [['task', 'list', '--ability', 'helpr'], 2, 'ability.not_found', /no ability helpr/, /helper/],
  [['approve', 'unknown-key'], 2, 'task.not_found', /no task/],
  [['approve', 'taken'], 4, 'approval.ignored', /no approval is open/],
];

const UNREACHABLE: Row[] = [
  [
    ['run', 'util.echo', '--address', '127.0.0.1:1'],
    7,
    'temporal.unavailable',
    /127\.0\.0\.1:1 does not answer/,
    /TEMPORAL_ADDRESS/,
  ],
  [['task', 'list', '--address', '127.0.0.1:1'], 7, 'temporal.unavailable', /does not answer/],
];

describe.each([
  ['usage', USAGE],
  ['input', INPUT],
  ['definitions', DEFINITIONS],
  ['tasks', TASKS],
  ['Temporal', UNREACHABLE],
])('bad %s', (_, rows) => {
  test.each(rows)('R-002-33: %j ends with %i %s', async (args, exit, code, message, suggestion) => {
    const end = await abilityJson(args, { cwd: project.root });
    expect(end.json).toMatchObject({ status: 'error', error: { code } });
    expect(end.exitCode).toBe(exit);
    expect(end.json.error.message).toMatch(message);
    if (suggestion) expect(end.json.error.suggestion).toMatch(suggestion);
  });
});

describe('unavailable: a reason, a suggestion, no key', () => {
  test.each<Row>([
    [['run', 'util.prod_only'], 3, 'scope.environment', /not available in dev, only in prod/, /--env prod/],
    [['task', 'create', 'no.script'], 3, 'script.missing', /no script scripts\/nowhere\.py/, /project root/],
    [['run', 'no.implementation'], 3, 'config.no_implementation', /has no implementation/],
    [['run', 'several.ways'], 3, 'config.no_implementation', /several implementations \(one, two\) and no default/],
    [
      ['run', 'http.call.secret'],
      3,
      'config.missing_credential',
      /Missing required configuration: NOWHERE_TOKEN \(dev\)/,
      /\.env/,
    ],
  ])('R-000-73: %j ends with %i %s', async (args, exit, code, reason, suggestion) => {
    const end = await abilityJson(args, { cwd: project.root });
    expect(end.json).toMatchObject({ status: 'unavailable', code });
    expect(end.json).not.toHaveProperty('task_key');
    expect(end.exitCode).toBe(exit);
    expect(end.json.reason).toMatch(reason);
    if (suggestion) expect(end.json.suggestion).toMatch(suggestion);
  });
});

test.each(['task create', 'run'])(
  'R-000-69: if preflight denies it, `%s` reports unavailable with the reason, leaves no folder, and its key is free again',
  async (command) => {
    const key = `closed-${command.length}`;
    const end = await abilityJson([...command.split(' '), 'util.closed', '--key', key], { cwd: project.root });
    expect(end.json).toEqual({
      status: 'unavailable',
      code: 'guard.denied',
      reason: expect.stringMatching(/The books are closed\./),
      suggestion: 'Try again tomorrow.',
    });
    expect(existsSync(join(project.root, '.system/implement', key))).toBe(false);
    const shown = await abilityJson(['task', 'show', key], { cwd: project.root });
    expect(shown).toMatchObject({ json: { status: 'unavailable', error: { code: 'guard.denied' } } });
    const listed = await abilityJson(['task', 'list', '--ability', 'util.closed'], { cwd: project.root });
    expect(JSON.stringify(listed.json)).not.toContain(key);
    const input = ['--input', '{"n": 5}', '--key', key];
    const again = await abilityJson(['task', 'create', 'util.regression', ...input], { cwd: project.root });
    expect(again.json).toMatchObject({ status: 'available', task_key: key });
  },
);

describe('available', () => {
  test('R-000-71, R-000-72, R-002-30: `task create` takes its payload from stdin or a file, and returns key and warnings', async () => {
    const create = ['task', 'create', 'util.regression', '--input'];
    const warnings = [expect.stringMatching(/^This ability is slow and better run off-peak in staging\./)];
    const stdin = await abilityJson([...create, '-', '--key', 'task-123'], { cwd: project.root, input: '{"n": 5}' });
    const created = { status: 'available', run_id: expect.any(String), attached: false, warnings };
    expect(stdin.json).toEqual({ ...created, task_key: 'task-123' });
    expect(stdin.exitCode).toBe(0);
    const file = await abilityJson([...create, '@input.json'], { cwd: project.root });
    expect(file.json).toMatchObject({ ...created, task_key: expect.stringMatching(/^t-/) });
    const wrong = await abilityJson([...create, '-'], { cwd: project.root, input: '{"n": "five"}' });
    expect(wrong).toMatchObject({ exitCode: 2, json: { error: { code: 'input.invalid' } } });
  });

  test('R-002-29, R-002-32: one command creates, runs by key, and runs directly', async () => {
    const own = { cwd: project.root };
    const created = await abilityJson(['task', 'create', 'util.regression', '--set', 'n=7'], own);
    const ran = await abilityJson(['task', 'run', created.json.task_key], own);
    const expected = { status: 'succeeded', ability_id: 'util.regression', output: { n: 7 }, error: null };
    expect(ran).toMatchObject({ exitCode: 0, json: { ...expected, task_key: created.json.task_key } });
    expect(ran.json.hooks).toMatchObject([{ phase: 'PreAbilityCreate', hook_id: 'peak' }]);
    const direct = await abilityJson(['run', 'util.regression', '--direct', '--set', 'n=7'], own);
    expect(direct).toMatchObject({ exitCode: 0, json: { ...expected, task_key: null, links: { record: null } } });
  });
});

describe('a task that does not succeed', () => {
  test.each<[string[], number, string, string, RegExp]>([
    [['run', 'util.exit'], 1, 'failed', 'script.exit', /exit code 9\nwent wrong/],
    [['run', 'util.hang'], 8, 'unknown', 'outcome.unknown', /could not be determined/],
    [['run', 'fails'], 1, 'failed', 'mine', /As planned/],
    [['run', 'http.call.unreachable'], 1, 'failed', 'unavailable.connection', /cannot be reached: .*ECONNREFUSED/],
    [['run', 'mcp.query.dead'], 1, 'failed', 'mcp.start_failed', /I am dead/],
    [['run', 'util.denied'], 4, 'denied', 'guard.denied', /Never\. \(hook never\)/],
    [['run', 'util.unguarded'], 4, 'denied', 'hook.failed', /The guard broken failed/],
  ])('%j ends with %i, %s', async (args, exit, status, code, message) => {
    const end = await abilityJson(args, { cwd: project.root });
    expect(end.json).toMatchObject({ status, error: { code }, output: null });
    expect(end.exitCode).toBe(exit);
    expect(end.json.error.message).toMatch(message);
  });

  test('a task that waits for people exits with 5, its key, and how to continue', async () => {
    const { json, exitCode, stderr } = await abilityJson(['run', 'waits'], { cwd: project.root });
    expect(exitCode).toBe(5);
    expect(json).toMatchObject({
      status: 'waiting_approval',
      output: null,
      waiting: { approvals: [expect.stringMatching(/^ask-/)], resume: `ability task watch ${json.task_key}` },
    });
    expect(stderr).toMatch(new RegExp(`ability approve ${json.task_key} --approval ask-\\S+`));
    const denied = await abilityJson(['deny', json.task_key, '--comment', 'no'], { cwd: project.root });
    expect(denied).toMatchObject({ exitCode: 0, json: { counted: true, status: 'denied' } });
    expect((await ability(['task', 'watch', json.task_key], { cwd: project.root })).exitCode).toBe(4);
  });

  test('a command that stops waiting exits with 6, and the task continues', async () => {
    const end = await abilityJson(['run', 'waits', '--wait-approval', '10m', '--timeout', '2s'], { cwd: project.root });
    expect(end).toMatchObject({ exitCode: 6, json: { error: { code: 'wait.timeout' } } });
  });
});

describe('projects', () => {
  test('a folder without a project is reported', async () => {
    const end = await abilityJson(['list'], { cwd: '/' });
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'project.not_found' } } });
  });

  test('several environments without a choice are reported', async () => {
    const end = await abilityJson(['run', 'util.echo'], { cwd: lonely.root });
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'config.no_environment' } } });
    // Also through the runtime, which converts a text by the schema of the ability there.
    const given = await abilityJson(['run', 'util.echo', '--env', 'b', '--set', 'n=1'], { cwd: lonely.root });
    expect(given).toMatchObject({ exitCode: 0, json: { environment: 'b' } });
    const again = await abilityJson(['run', 'util.echo', '--env', 'b', '--set', 'n=1'], { cwd: lonely.root });
    expect(again).toMatchObject({ exitCode: 0, json: { environment: 'b' } });
  });

  test('two registries are reported', async () => {
    lonely.write({ '.system/registry/low-level/x.yaml': 'operation_key: x\nsummary: x\n' });
    const end = await abilityJson(['list'], { cwd: lonely.root });
    expect(end).toMatchObject({ exitCode: 2, json: { error: { code: 'project.two_registries' } } });
  });

  test('a broken ability.yaml is reported with its place', async () => {
    const broken = makeProject({ 'ability.yaml': 'format: 1\nproject: x\nenvironments: { dev: { protect: true } }\n' });
    const end = await abilityJson(['list'], { cwd: broken.root });
    expect(end).toMatchObject({
      exitCode: 2,
      json: { error: { code: 'definition.invalid', location: { file: 'ability.yaml', line: 3 } } },
    });
    expect(end.json.error.suggestion).toMatch(/protected/);
    broken.remove();
  });

  test('without --json the same is reported on stderr, and stdout stays empty', async () => {
    const end = await ability(['run', 'bad_step'], { cwd: project.root });
    expect(end.stdout).toBe('');
    expect(end.stderr).toMatch(
      /^error definition\.unknown_reference There is no ability `util\.ecko`\n {2}at registry\/high-level\/bad_step\.yaml:5:24\n {2}Did you mean util\.echo or util\.exit\?$/m,
    );
  });

  test('the list of tasks of an agent without tasks is empty', async () => {
    const end = await abilityJson(['task', 'list', '--ability', 'helper'], { cwd: project.root });
    expect(end).toMatchObject({ exitCode: 0, json: [] });
  });

  test('an input from stdin is read', async () => {
    const end = await abilityJson(['run', 'util.echo', '--input', '-'], { cwd: project.root, input: '{"n": 5}' });
    expect(end).toMatchObject({ exitCode: 0, json: { output: { n: 5 } } });
    writeFileSync(join(project.root, 'text.txt'), 'from a file');
    const file = await abilityJson(['run', 'util.echo', '--set', 'text=@text.txt', '--input', '@input.json'], {
      cwd: project.root,
    });
    expect(file.json.output).toEqual({ n: 1, text: 'from a file' });
  });
});
