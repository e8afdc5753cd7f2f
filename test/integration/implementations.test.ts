import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { cancelTask, createTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { callerOf } from '../fixtures/caller.js';
import { LONG } from '../fixtures/extent.js';
import { makeProject, type ProjectFiles, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, logFile, lowLevel, mcpAbility, scriptAbility } from '../fixtures/servers/definitions.js';
import { MCP_PROGRAMS } from '../fixtures/servers/mcp-http-server.js';
import { json, send, startService } from '../fixtures/servers/recording-service.js';

const SECRET = 'secret-of-all-implementations';

let service: Awaited<ReturnType<typeof startService>>;
let project: RunningProject;

beforeAll(async () => {
  service = await startService();
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {}, staging: {} }'),
    '.env': `TOKEN=${SECRET}\n`,
    ...config('servers', {
      env_profiles: { secret: { pass: ['PATH'], secrets: { TOKEN: 'env:TOKEN' } } },
      mcp_servers: { tools: { command: process.execPath, args: [MCP_PROGRAMS.stdio], env_profile: 'secret' } },
    }),
  });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
const ONCE = { effects: 'write_additive' };
const ECHO = 'cat "$1"\n';

/** A document of `registry/implementations`. */
const implementation = (id: string, value: JsonObject): ProjectFiles => ({
  [`registry/implementations/${id}.yaml`]: JSON.stringify({ id, ...value }),
});
/** An operation without its own implementation. */
const contract = (key: string, more: JsonObject = {}): ProjectFiles => {
  const definition = { operation_key: key, version: 1, summary: 'A contract.', effects: 'read', ...more };
  return { [`registry/low-level/${key}.yaml`]: JSON.stringify(definition) };
};

describe('an implementation document', () => {
  test('R-000-45, R-000-46: names its operation, how to invoke it, its limits, defaults, overridable values, and tags', async () => {
    project.write({
      ...contract('doc.echo'),
      ...implementation('echo_by_shell', {
        operation_key: 'doc.echo',
        kind: 'script',
        script: { path: 'scripts/echo.sh', args: ['{input_file}'], output: 'json', timeout_sec: 7 },
        defaults: { region: 'eu', size: 1 },
        overridable: ['size'],
        tags: ['experimental', 'high-cost'],
        limitations: 'Echoes only.',
      }),
      'scripts/echo.sh': ECHO,
    });
    const result = await project.run('doc.echo', { n: 1, size: 2 });
    expect(result).toMatchObject({ status: 'succeeded', output: { region: 'eu', size: 2, n: 1 } });
    const record = JSON.parse(readFileSync(join(result.links.record as string, 'record.json'), 'utf8'));
    expect(record.plan.operations['doc.echo'].implementation).toMatchObject({
      id: 'echo_by_shell',
      timeout_ms: 7000,
      tags: ['experimental', 'high-cost'],
    });
    const refused = await failure(project.create('doc.echo', { region: 'us' }));
    expect(refused).toMatchObject({ code: 'input.invalid' });
    expect(refused.message).toMatch(/region.*echo_by_shell/);
  });

  test('may supply what its contract requires', async () => {
    const input_schema = { type: 'object', required: ['region'], properties: { region: { type: 'string' } } };
    const body = { defaults: { region: 'eu' } };
    const script = { args: ['{input_file}'] };
    project.write({
      ...scriptAbility('doc.supplied', 'scripts/supplied.sh', ECHO, { script, body, more: { input_schema } }),
      ...workflow('supplied', 'steps: [{ id: a, call: doc.supplied, with: {} }]\noutput: "${{ steps.a.output }}"'),
    });
    expect(await project.run('supplied')).toMatchObject({ status: 'succeeded', output: { region: 'eu' } });
    expect(await project.run('doc.supplied')).toMatchObject({ status: 'succeeded', output: { region: 'eu' } });
  });

  test('R-000-52, R-002-03, R-002-15: configuration names the default and the allowed ones, and the runtime executes the chosen one', async () => {
    const named = (id: string) =>
      implementation(id, {
        operation_key: 'doc.two',
        kind: 'script',
        script: { path: `scripts/${id}.sh`, args: [], output: 'json' },
      });
    project.write({
      ...contract('doc.two'),
      ...named('one'),
      ...named('other'),
      'scripts/one.sh': 'echo 1\n',
      'scripts/other.sh': 'echo 2\n',
    });
    expect(await failure(project.create('doc.two'))).toMatchObject({ code: 'config.no_implementation' });
    const choose = (settings: JsonObject) =>
      project.write(config('two', { abilities: [{ id: 'doc.two', ...settings }] }));
    choose({ default_implementation: 'other', allowed_implementations: ['one', 'other'] });
    expect(await project.run('doc.two')).toMatchObject({ status: 'succeeded', output: 2 });
    choose({ default_implementation: 'other', allowed_implementations: ['one'] });
    expect(await failure(project.create('doc.two'))).toMatchObject({ code: 'config.invalid' });
    choose({ allowed_implementations: ['one'] });
    expect(await project.run('doc.two')).toMatchObject({ status: 'succeeded', output: 1 });
  });

  test('R-000-55: callers name ability, environment and input; only the runner resolves what they mean here', async () => {
    const input_schema = { type: 'object', properties: { n: { type: 'integer' } }, additionalProperties: false };
    const way = (id: string): ProjectFiles =>
      implementation(id, {
        operation_key: 'doc.requested',
        kind: 'script',
        script: { path: `scripts/${id}.sh`, args: [], output: 'json' },
      });
    const files = (chosen: string): ProjectFiles => ({
      ...contract('doc.requested', { input_schema }),
      ...way('first_way'),
      ...way('second_way'),
      'scripts/first_way.sh': 'echo 1\n',
      'scripts/second_way.sh': 'echo 2\n',
      ...config('requested', { abilities: [{ id: 'doc.requested', default_implementation: chosen }] }),
    });
    project.write(files('second_way'));
    const elsewhere = makeProject(files('first_way'));
    onTestFinished(() => elsewhere.remove());
    const session = { ...project.connection, root: elsewhere.root };
    const request = { ability: 'doc.requested', environment: 'dev', caller: callerOf(), run: true };
    const { id } = await createTask(session, { ...request, input: { n: 1 } });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded', output: 2 } });
    for (const key of ['implementation', 'default_implementation', 'hooks', 'endpoints']) {
      expect(await failure(createTask(session, { ...request, input: { [key]: 'first_way' } }))).toMatchObject({
        code: 'input.invalid',
      });
    }
  });

  test('R-000-53: configuration defines endpoints, server, tool, prompts and credential references for each environment', async () => {
    const headers = { Authorization: 'Bearer {credential:token}' };
    const environment = (name: string) => ({
      endpoints: { default: `${service.origin}/${name}` },
      credentials: { token: 'env:TOKEN' },
      prompts: { hint: `as in ${name}` },
    });
    const abilities = [
      { id: 'env.api', environments: { dev: environment('dev'), staging: environment('staging') } },
      {
        id: 'env.mcp',
        environments: {
          dev: { mcp_server: 'tools', mcp_tool: 'say' },
          staging: { mcp_server: 'tools', mcp_tool: 'say_twice' },
        },
      },
    ];
    project.write({
      ...lowLevel('env.api', { kind: 'api', api: { path: '/where', headers } }),
      ...mcpAbility('env.mcp', {}),
      ...config('per-environment', { abilities }),
    });
    for (const [name, text] of [
      ['dev', 'a'],
      ['staging', 'a\na again'],
    ] as const) {
      const more = { environment: name };
      const { links } = await project.run('env.api', {}, more);
      expect(service.requestsOf(`/${name}/where`)).toMatchObject([{ headers: { authorization: `Bearer ${SECRET}` } }]);
      const record = readFileSync(join(links.record as string, 'record.json'), 'utf8');
      expect(record).toContain(`as in ${name}`);
      expect(record).not.toContain(SECRET);
      expect(await project.run('env.mcp', { text: 'a' }, more)).toMatchObject({ output: { text } });
    }
    project.write({
      ...lowLevel('env.inlined', { kind: 'api', api: { path: '/x' } }),
      ...config('inlined', {
        abilities: [{ id: 'env.inlined', environments: { dev: { credentials: { token: SECRET } } } }],
      }),
    });
    expect(await failure(project.create('env.inlined'))).toMatchObject({
      code: 'definition.invalid',
      location: { file: 'registry/config/inlined.yaml' },
    });
  });
});

describe('fail_if', () => {
  test('turns an answer that means a failure into one, for each kind', async () => {
    service.on('/well', json({ status: 'error', reason: 'no stock' }));
    project.write({
      ...scriptAbility('fi.script', 'scripts/fi.sh', 'echo \'{"status": "error"}\'\n', {
        script: { args: [] },
        more: ONCE,
        body: { fail_if: 'output.status == "error"' },
      }),
      ...apiAbility(
        'fi.api',
        service.origin,
        { path: '/well' },
        { more: ONCE, body: { fail_if: 'output.status == "error"' } },
      ),
      ...mcpAbility(
        'fi.mcp',
        { server: 'tools', tool: 'say' },
        { more: ONCE, body: { fail_if: 'output.text.matches("^(Error|Database error)")' } },
      ),
    });
    for (const ability of ['fi.script', 'fi.api', 'fi.mcp']) {
      const result = await project.run(ability, { text: 'Database error: gone' });
      expect(result).toMatchObject({ status: 'failed', error: { code: 'fail_if.matched' }, output: null });
    }
    expect((await project.run('fi.api')).error?.message).toMatch(/no stock/);
    expect(await project.run('fi.mcp', { text: 'No error' })).toMatchObject({ status: 'succeeded' });
  });

  test('that is invalid is detected at preflight; if its evaluation fails, that is no success', async () => {
    const script = { args: [] };
    project.write({
      ...scriptAbility('fi.syntax', 'scripts/fi-2.sh', 'echo 1\n', { script, body: { fail_if: 'output. == 1' } }),
      ...scriptAbility('fi.wrong', 'scripts/fi-2.sh', 'echo 1\n', {
        script,
        more: ONCE,
        body: { fail_if: 'output.status == 1' },
      }),
    });
    expect(await failure(project.create('fi.syntax'))).toMatchObject({
      code: 'expression.syntax',
      location: { line: expect.any(Number) },
    });
    expect(await project.run('fi.wrong')).toMatchObject({ status: 'failed', error: { code: 'expression.failed' } });
  });

  test('that yields neither true nor false is no success', async () => {
    const body = { fail_if: 'output.error' };
    project.write(
      scriptAbility('fi.text', 'scripts/fi-3.sh', 'echo \'{"error": "gone"}\'\n', {
        script: { args: [] },
        more: ONCE,
        body,
      }),
    );
    const error = { code: 'expression.not_boolean' };
    expect(await project.run('fi.text')).toMatchObject({ status: 'failed', error, output: null });
  });

  test('and a broken contract expose no secret', async () => {
    service.on('/echo', send(200, 'text/plain', `you are ${SECRET}`));
    const api = { path: '/echo', headers: { Authorization: '{credential:token}' } };
    const settings = { credentials: { token: 'env:TOKEN' } };
    project.write(
      apiAbility('fi.secret', service.origin, api, {
        settings,
        more: ONCE,
        body: { fail_if: 'output.text.startsWith("you")' },
      }),
    );
    const result = await project.run('fi.secret');
    expect(result).toMatchObject({ status: 'failed', error: { code: 'fail_if.matched' } });
    const log = readFileSync(logFile(project.root, result.task_key as string), 'utf8');
    expect(JSON.stringify(result) + log).not.toContain(SECRET);
  });
});

describe('an implementation tagged fast', () => {
  /** How many activities and markers the history of a task has after its preflight. */
  async function eventsOf(task: string) {
    const { events } = await project.connection.temporal.workflow.getHandle(task).fetchHistory();
    return {
      activities: events?.filter((event) => event.activityTaskScheduledEventAttributes).length,
      markers: Number(events?.filter((event) => event.markerRecordedEventAttributes).length) - 1,
    };
  }
  const define = (key: string, effects: string, content = 'echo 1\n', more: JsonObject = {}) =>
    project.write(
      scriptAbility(key, `scripts/${key}.sh`, content, {
        script: { args: [] },
        more: { effects, ...more },
        body: { tags: ['fast'] },
      }),
    );

  test.each(['read', 'write_idempotent'])('runs as a local activity if its effect is %s', async (effects) => {
    define(`fast.${effects}`, effects);
    const result = await project.run(`fast.${effects}`);
    expect(result).toMatchObject({ status: 'succeeded', output: 1, steps: [{ attempts: 1 }] });
    expect(await eventsOf(result.task_key as string)).toEqual({ activities: 0, markers: 1 });
  });

  test.each(['external_read', 'write_additive', 'destructive'])(
    'still runs as an activity if its effect is %s',
    async (effects) => {
      define(`fast.${effects}`, effects);
      const result = await project.run(`fast.${effects}`);
      expect(result).toMatchObject({ status: 'succeeded', output: 1 });
      expect(await eventsOf(result.task_key as string)).toEqual({ activities: 1, markers: 0 });
    },
  );

  test('is retried, and reports its failure like every call', LONG, async () => {
    define('fast.fails', 'read', 'echo oh >&2; exit 4\n');
    const result = await project.run('fast.fails');
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: 'script.exit', details: { exit_code: 4, stderr: 'oh' } },
      steps: [{ status: 'failed', attempts: 3 }],
    });
  });

  test('is cancelled within ten seconds: its workflow task learns of it with its next heartbeat', LONG, async () => {
    define('fast.slow', 'read', 'touch fast-slow.txt; exec sleep 60\n');
    const { id } = await project.create('fast.slow');
    await expect.poll(() => existsSync(join(project.root, 'fast-slow.txt')), { timeout: 20_000 }).toBe(true);
    const started = performance.now();
    await cancelTask(project.connection, id);
    expect(await project.wait(id)).toMatchObject({ result: { status: 'cancelled' } });
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('an output that its contract does not allow', () => {
  test('is <kind>.output_invalid, whatever the kind, and names the field', async () => {
    const more = { ...ONCE, output_schema: { type: 'object', required: ['id'] } };
    project.write({
      ...scriptAbility('oi.script', 'scripts/oi.sh', 'echo \'{"no": 1}\'\n', { script: { args: [] }, more }),
      ...apiAbility('oi.api', service.origin, { path: '/oi' }, { more }),
      ...mcpAbility('oi.mcp', { server: 'tools', tool: 'nothing' }, { more }),
    });
    for (const kind of ['script', 'api', 'mcp']) {
      const result = await project.run(`oi.${kind}`);
      expect(result).toMatchObject({ status: 'failed', error: { code: `${kind}.output_invalid` } });
      expect(result.error?.message).toMatch(/`id` is missing/);
    }
  });

  test('gets the defaults of its schema first', async () => {
    const output_schema = { type: 'object', required: ['id'], properties: { id: { type: 'string', default: 'none' } } };
    const script = { args: [] };
    project.write(scriptAbility('oi.default', 'scripts/oi-2.sh', "echo '{}'\n", { script, more: { output_schema } }));
    expect(await project.run('oi.default')).toMatchObject({ status: 'succeeded', output: { id: 'none' } });
  });
});
