import { randomBytes } from 'node:crypto';
import { Connection, isGrpcServiceError } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ability, abilityJson, start } from '../fixtures/command-line.js';
import { makeProject, operation, type ProjectFolder, projectFile, workflow } from '../fixtures/project-folder.js';
import { type Authorization, makeAuthorization } from './authorization.js';
import { type Postgres, startPostgres } from './postgresql.js';
import { type RealTemporal, startRealTemporal } from './real-temporal.js';

const real = inject('real');
const why = 'missing' in real ? ` (skipped: ${real.missing})` : '';
const DENIED = 7;
/** The type of the workflow command that signals another workflow. */
const SIGNAL_EXTERNAL = 12;
const KEYS = `main:${randomBytes(32).toString('base64url')}`;
const OPERATOR = ['temporal-system:admin'];

describe.skipIf('missing' in real)(`the Temporal server of examples/temporal-authorization${why}`, () => {
  let database: Postgres;
  let auth: Authorization;
  let temporal: RealTemporal;
  let folder: ProjectFolder;
  const workers: ReturnType<typeof start>[] = [];

  beforeAll(async () => {
    if ('missing' in real) return;
    auth = makeAuthorization();
    database = await startPostgres(real.postgres);
    const operator = { tls: auth.tls, apiKey: auth.token('operator', OPERATOR) };
    const options = { settings: auth.settings, operator, namespaces: ['dev', 'prod'] };
    temporal = await startRealTemporal(real.programs, database, options);
    folder = makeProject({
      'ability.yaml': projectFile('{ dev: {}, prod: { protected: true } }'),
      ...operation('op.note', 'return { noted: input.text };', { effects: 'write_additive' }),
      ...workflow(
        'ask',
        'steps: [{ id: sure, approval: { title: Sure? } }, { id: note, call: op.note, with: { text: done } }]\noutput: "${{ steps.note.output.noted }}"',
      ),
    });
    await Promise.all(['dev', 'prod'].map((name) => serve(name, [`${name}:write`])));
  });
  afterAll(async () => {
    for (const worker of workers) worker.kill('SIGKILL');
    await Promise.all(workers);
    await temporal?.stop();
    await database?.stop();
    folder?.remove();
    auth?.remove();
  });

  const as = (permissions: readonly string[], namespace: string) => ({
    cwd: folder.root,
    env: {
      ...auth.env,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: namespace,
      TEMPORAL_API_KEY: auth.token('alice', permissions),
      ABILITY_SEAL_KEYS: KEYS,
      ABILITY_ENV: namespace,
    },
  });
  async function serve(namespace: string, permissions: string[]): Promise<void> {
    const worker = start(['worker', '--env', namespace], as(permissions, namespace));
    workers.push(worker);
    await new Promise<void>((resolve, reject) => {
      worker.stderr?.on('data', (chunk: Buffer) => String(chunk).includes('Serving') && resolve());
      worker.then(({ stderr }) => reject(new Error(String(stderr))));
    });
  }
  const connect = (apiKey: string) => Connection.connect({ address: temporal.address, tls: auth.tls, apiKey });

  /** What access to the server allows without our programs, although only they should do most of it. */
  function forgeries({ workflowService: service }: Connection, namespace: string, workflowId: string) {
    const execution = { workflowId };
    const workflowExecution = { workflowId };
    const taskQueue = { name: 'forged' };
    return {
      start: () =>
        service.startWorkflowExecution({ namespace, workflowId: 'forged', workflowType: { name: 'ask' }, taskQueue }),
      signal: () => service.signalWorkflowExecution({ namespace, workflowExecution, signalName: 'approve' }),
      update: () => service.updateWorkflowExecution({ namespace, workflowExecution }),
      cancel: () => service.requestCancelWorkflowExecution({ namespace, workflowExecution }),
      terminate: () => service.terminateWorkflowExecution({ namespace, workflowExecution }),
      reset: () => service.resetWorkflowExecution({ namespace, workflowExecution }),
      delete: () => service.deleteWorkflowExecution({ namespace, workflowExecution }),
      'end an activity': () => service.respondActivityTaskCompletedById({ namespace, workflowId, activityId: '1' }),
      'poll activities': () => service.pollActivityTaskQueue({ namespace, taskQueue }),
      'poll workflow tasks': () => service.pollWorkflowTaskQueue({ namespace, taskQueue }),
      'read a history': () => service.getWorkflowExecutionHistory({ namespace, execution }),
      list: () => service.listWorkflowExecutions({ namespace }),
    };
  }
  async function codesOf(calls: Record<string, () => Promise<unknown>>): Promise<Record<string, number>> {
    const codes: Record<string, number> = {};
    for (const [name, call] of Object.entries(calls)) {
      codes[name] = await call().then(
        () => 0,
        (error: unknown) => (isGrpcServiceError(error) ? error.code : -1),
      );
    }
    return codes;
  }
  const allOf = (calls: Record<string, unknown>, code: number) =>
    Object.fromEntries(Object.keys(calls).map((name) => [name, code]));

  test('lets a worker with `write` on its namespace serve it: a task is created, approved and completed', async () => {
    const prod = as(['prod:write'], 'prod');
    expect(await abilityJson(['run', 'ask', '--key', 'served', '--timeout', '60s'], prod)).toMatchObject({
      exitCode: 5,
    });
    expect(await ability(['approve', 'served', '--as', 'ann', '--yes'], prod)).toMatchObject({ exitCode: 0 });
    const end = await abilityJson(['task', 'watch', 'served', '--timeout', '60s'], prod);
    expect(end).toMatchObject({ exitCode: 0, json: { status: 'succeeded', output: 'done' } });
  });

  test('refuses access without a token, with an expired or foreign token, or without a client certificate', async () => {
    const other = makeAuthorization();
    const read = as(['prod:read'], 'prod').env;
    const bare = { ...read, TEMPORAL_TLS_CLIENT_CERT_PATH: undefined, TEMPORAL_TLS_CLIENT_KEY_PATH: undefined };
    const others = {
      'no token': { ...read, TEMPORAL_API_KEY: undefined },
      expired: { ...read, TEMPORAL_API_KEY: auth.token('late', ['prod:read'], -1) },
      'another signer': { ...read, TEMPORAL_API_KEY: other.token('mallory', ['prod:admin']) },
      'no client certificate': bare,
    };
    other.remove();
    for (const [who, env] of Object.entries(others)) {
      const { exitCode, json } = await abilityJson(['task', 'list'], { cwd: folder.root, env });
      expect({ who, exitCode, code: json.error?.code }).toEqual({ who, exitCode: 7, code: 'temporal.unavailable' });
    }
    expect(await ability(['task', 'list'], { cwd: folder.root, env: read })).toMatchObject({ exitCode: 0 });
  });

  test('lets `read` on prod view everything and change nothing', async () => {
    const writer = as(['prod:write'], 'prod');
    const reader = as(['prod:read'], 'prod');
    expect(await abilityJson(['run', 'ask', '--key', 'looked-at', '--timeout', '60s'], writer)).toMatchObject({
      exitCode: 5,
    });
    const reads = [
      ['task', 'list'],
      ['task', 'show', 'looked-at'],
      ['why', 'looked-at'],
      ['replay', 'looked-at'],
    ];
    for (const args of reads) {
      expect({ args, ...(await ability([...args, '--json'], reader)) }).toMatchObject({ args, exitCode: 0 });
    }
    const changes = [
      ['run', 'ask', '--key', 'never'],
      ['approve', 'looked-at', '--as', 'ann', '--yes'],
      ['deny', 'looked-at', '--as', 'ann', '--yes'],
      ['task', 'signal', 'looked-at', 'go'],
      ['task', 'cancel', 'looked-at'],
      ['task', 'delete', 'looked-at', '--yes'],
    ];
    for (const args of changes) {
      const { exitCode, json } = await abilityJson(args, reader);
      expect({ args, exitCode, error: json.error }).toMatchObject({
        exitCode: 7,
        error: {
          code: 'temporal.unavailable',
          message: expect.stringContaining('refuses access to the namespace prod'),
        },
      });
    }
    const connection = await connect(auth.token('reader', ['prod:read']));
    const { 'read a history': look, list, ...writes } = forgeries(connection, 'prod', 'looked-at');
    expect(await codesOf(writes)).toEqual(allOf(writes, DENIED));
    expect(await codesOf({ look, list })).toEqual({ look: 0, list: 0 });
    await connection.close();
    expect((await abilityJson(['task', 'show', 'looked-at'], writer)).json.status).toBe('waiting_approval');
    await ability(['task', 'cancel', 'looked-at'], writer);
  });

  test('keeps `write` on dev out of prod, even by a workflow command, and out of the internal ports', async () => {
    const dev = as(['dev:write'], 'dev');
    expect(await abilityJson(['run', 'op.note', '--set', 'text=x', '--timeout', '60s'], dev)).toMatchObject({
      exitCode: 0,
    });
    const connection = await connect(auth.token('dev', ['dev:write']));
    const calls = forgeries(connection, 'prod', 'served');
    expect(await codesOf(calls)).toEqual(allOf(calls, DENIED));

    const { exitCode, stderr } = await start(['worker', '--env', 'prod'], as(['dev:write'], 'prod'));
    expect({ exitCode, stderr: String(stderr) }).toMatchObject({
      exitCode: 7,
      stderr: expect.stringContaining('namespace prod'),
    });

    const service = connection.workflowService;
    const taskQueue = { name: 'across' };
    const start_ = {
      namespace: 'dev',
      workflowId: 'across',
      workflowType: { name: 'x' },
      taskQueue,
      requestId: 'across',
    };
    await service.startWorkflowExecution(start_);
    const poll = () => service.pollWorkflowTaskQueue({ namespace: 'dev', taskQueue });
    const { taskToken } = await connection.withDeadline(Date.now() + 30_000, poll);
    const across = {
      commandType: SIGNAL_EXTERNAL,
      signalExternalWorkflowExecutionCommandAttributes: {
        namespace: 'prod',
        execution: { workflowId: 'served' },
        signalName: 'approve',
      },
    };
    const answer = service.respondWorkflowTaskCompleted({ namespace: 'dev', taskToken, commands: [across] });
    await expect(answer).rejects.toThrow(/cross namespace commands are not allowed/);
    await service.terminateWorkflowExecution({ namespace: 'dev', workflowExecution: { workflowId: 'across' } });
    await connection.close();

    for (const port of temporal.innerPorts) {
      const inner = Connection.connect({ address: `127.0.0.1:${port}`, tls: auth.tls, connectTimeout: 2000 });
      await expect(inner).rejects.toThrow();
    }
  });
});
