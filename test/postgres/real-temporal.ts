/** A real Temporal server on PostgreSQL, as a team runs it, that can be killed and started again. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Connection, type ConnectionOptions } from '@temporalio/client';
import { ATTRIBUTES } from '../../src/contracts/names.js';
import { markOf } from '../../src/server/processes/processes.js';
import { LOOPBACK } from '../../src/server/temporal/ports.js';
import { pause } from '../chaos/extent.js';
import type { ServerPrograms } from './build-server.js';
import type { Postgres } from './postgresql.js';

const run = promisify(execFile);
const START_MS = 60_000;
const RETENTION_SECONDS = 7 * 86_400;
const KEYWORD = 2;
/** Each part of the server listens for calls and for the other parts. */
const PORTS = ['FRONTEND', 'INTERNAL_FRONTEND', 'HISTORY', 'MATCHING', 'WORKER'];

/** One server. */
export interface RealTemporal {
  address: string;
  /** Ports of the parts that clients must not use. */
  innerPorts: string[];
  pids(): number[] | undefined;
  /** Whether the last check found it serving. */
  isServing(): boolean;
  /** Starts it if it is not alive, and checks whether it serves. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

/** How it differs from a server that allows all access. */
export interface RealTemporalOptions {
  /** Settings of the server's own configuration template. */
  settings?: Record<string, string>;
  /** Connection options of a user who may create namespaces. */
  operator?: Partial<ConnectionOptions>;
  namespaces?: readonly string[];
}

/** Creates the schema, starts the server, and creates the namespaces with our search attributes. */
export async function startRealTemporal(
  programs: ServerPrograms,
  { port, user }: Postgres,
  { settings = {}, operator = {}, namespaces = ['default'] }: RealTemporalOptions = {},
): Promise<RealTemporal> {
  await makeSchema(programs, port, user);
  const home = mkdtempSync(join(tmpdir(), 'ability-test-temporal-'));
  const dynamic = join(home, 'dynamic.yaml');
  const logFile = join(home, 'temporal.log');
  const log = openSync(logFile, 'a');
  writeFileSync(dynamic, '{}\n');
  const env: Record<string, string> = {
    DB: 'postgres12',
    POSTGRES_SEEDS: LOOPBACK,
    DB_PORT: String(port),
    POSTGRES_USER: user,
    POSTGRES_PWD: user,
    DBNAME: 'temporal',
    VISIBILITY_DBNAME: 'temporal_visibility',
    BIND_ON_IP: LOOPBACK,
    DYNAMIC_CONFIG_FILE_PATH: dynamic,
    LOG_LEVEL: 'error',
  };
  for (const part of PORTS) {
    for (const kind of ['GRPC', 'MEMBERSHIP', 'HTTP']) env[`${part}_${kind}_PORT`] = String(await lowPort());
  }
  const address = `${LOOPBACK}:${env.FRONTEND_GRPC_PORT}`;
  let child: ChildProcess | undefined;
  let isServing = false;
  const pids = (): number[] | undefined => (child?.pid !== undefined && markOf(child.pid) ? [child.pid] : undefined);
  const temporal: RealTemporal = {
    address,
    innerPorts: PORTS.slice(1).map((part) => String(env[`${part}_GRPC_PORT`])),
    pids,
    isServing: () => isServing && pids() !== undefined,
    async startAgain() {
      if (!pids()) {
        const flags = settings.TEMPORAL_AUTH_AUTHORIZER ? [] : ['--allow-no-auth'];
        child = spawn(programs.server, [...flags, 'start'], {
          cwd: home,
          env: { PATH: process.env.PATH, ...env, ...settings },
          stdio: ['ignore', log, log],
        });
      }
      isServing = await serves(address, operator, namespaces[0] as string);
    },
    async stop() {
      child?.kill('SIGKILL');
      while (pids()) await pause(20);
      closeSync(log);
      rmSync(home, { recursive: true, force: true });
    },
  };
  const deadline = Date.now() + START_MS;
  for (; !isServing; await pause(100)) {
    await temporal.startAgain();
    if (Date.now() < deadline) continue;
    throw new Error(`the Temporal server does not serve: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
  }
  for (const namespace of namespaces) {
    await makeNamespace(address, operator, namespace).catch(async (error: unknown) => {
      const lines = readFileSync(logFile, 'utf8').slice(-2000);
      await temporal.stop();
      throw new Error(`the namespace ${namespace} could not be made; the server says: ${lines}`, { cause: error });
    });
  }
  return temporal;
}

/** The database stores the ports of the server's parts as signed 16-bit numbers. */
async function lowPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    server.listen(port, LOOPBACK);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}

async function makeSchema({ sqlTool }: ServerPrograms, port: number, user: string): Promise<void> {
  const env = {
    SQL_PLUGIN: 'postgres12',
    SQL_HOST: LOOPBACK,
    SQL_PORT: String(port),
    SQL_USER: user,
    SQL_PASSWORD: user,
  };
  const schemas = { temporal: 'temporal', temporal_visibility: 'visibility' };
  for (const [database, schema] of Object.entries(schemas)) {
    const tool = (...args: string[]) => run(sqlTool, ['--db', database, ...args], { env });
    await tool('create');
    await tool('setup-schema', '-v', '0.0');
    await tool('update-schema', '--schema-name', `postgresql/v12/${schema}`);
  }
}

/** Whether its queries work, which need its namespaces, its shards and its visibility. */
async function serves(address: string, operator: Partial<ConnectionOptions>, namespace: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ ...operator, address, connectTimeout: 1000 });
    try {
      await connection.withDeadline(Date.now() + 3000, async () => {
        const { namespaces } = await connection.workflowService.listNamespaces({ pageSize: 100 });
        if (!namespaces.some(({ namespaceInfo }) => namespaceInfo?.name === namespace)) return;
        await connection.workflowService.countWorkflowExecutions({ namespace, query: '' });
      });
    } finally {
      await connection.close();
    }
    return true;
  } catch {
    return false;
  }
}

/** A namespace is known everywhere only some seconds after its creation. */
async function makeNamespace(address: string, operator: Partial<ConnectionOptions>, namespace: string): Promise<void> {
  const connection = await Connection.connect({ ...operator, address });
  const searchAttributes = Object.fromEntries(Object.keys(ATTRIBUTES).map((name) => [name, KEYWORD]));
  try {
    await connection.workflowService.registerNamespace({
      namespace,
      workflowExecutionRetentionPeriod: { seconds: RETENTION_SECONDS as never },
    });
    await insist(() => connection.operatorService.addSearchAttributes({ namespace, searchAttributes }));
    await insist(async () => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      if (!Object.hasOwn(customAttributes, 'AbilityProject')) throw new Error(`${namespace} lacks AbilityProject`);
      await connection.workflowService.countWorkflowExecutions({ namespace, query: "AbilityProject = 'none'" });
    });
  } finally {
    await connection.close();
  }
}

async function insist(action: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + START_MS;
  for (;;) {
    try {
      await action();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(200);
    }
  }
}
