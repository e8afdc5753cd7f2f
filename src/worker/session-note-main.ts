import { Client, Connection } from '@temporalio/client';
import { describeProject } from '../activities/project-definitions.js';
import { notifySession } from '../activities/session/session-word.js';
import { Runs } from '../activities/task/runs.js';
import { taskQueueOf } from '../contracts/names.js';
import type { SessionNote } from '../contracts/session.js';
import { NOTE_VARIABLE } from '../server/installation.js';
import { CheckedChains } from '../server/payloads/checked-chains.js';
import { SpillingCodec } from '../server/payloads/payload-codec.js';
import { payloadKeysOf } from '../server/payloads/payload-keys.js';
import { type ProjectPaths, pathsOf } from '../server/project-paths.js';
import { readLivingRuntime } from '../server/runtime/runtime-file.js';
import { openStore } from '../server/store/open-store.js';
import { chooseServer } from '../server/temporal/connection-settings.js';
import { sealKeysOf } from './seal-keys.js';
import { accessSessions } from './session-access.js';
import { readRun } from './temporal-access.js';

/**
 * Sends a session a guard's answer, signed with the project's seal key; starts no runtime for it. @throws
 * AbilityError if the session or the key is missing; the error of a server that does not answer.
 */
async function sendSessionNote({ root, session, answer }: SessionNote, env: NodeJS.ProcessEnv): Promise<void> {
  const paths = pathsOf(root);
  const server = await findServer(paths, env);
  if (!server) return;
  const { namespace, connectionOptions } = server;
  const connection = await Connection.connect(connectionOptions as never);
  try {
    const store = openStore(server.store, payloadKeysOf(env), paths);
    const codec = new SpillingCodec(store, payloadKeysOf(env));
    const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [codec] } });
    const describe = describeProject(root);
    const project = describe().name;
    const runs = new Runs((run) => readRun(client, codec, run));
    const known = { runs, chains: new CheckedChains(store) };
    const { environments, placements } = describe();
    const queues = environments.flatMap((name) => placements.map((placement) => taskQueueOf(project, name, placement)));
    const sessions = accessSessions(client, project, () => queues, known);
    await notifySession(session, { kind: 'tool', answer }, { project, keys: sealKeysOf(paths, env), sessions });
  } finally {
    await connection.close();
  }
}

async function findServer(paths: ProjectPaths, env: NodeJS.ProcessEnv) {
  const remote = await chooseServer({}, env);
  if (remote) return { ...remote, store: env.ABILITY_STORE ?? paths.store };
  const runtime = readLivingRuntime(paths);
  if (!runtime) return undefined;
  const { address, namespace, store } = runtime;
  return { namespace, store, connectionOptions: { address } };
}

/** `ability guard` leaves this process behind to send a session its answer; it is silent and always ends. */
const MAX_MS = 20_000;

setTimeout(() => process.exit(1), MAX_MS).unref();
const { [NOTE_VARIABLE]: text = '', ...env } = process.env;
delete process.env[NOTE_VARIABLE];
await sendSessionNote(JSON.parse(text) as SessionNote, env).catch(() => {
  process.exitCode = 1;
});
