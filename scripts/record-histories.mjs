// Records histories for the replay tests, one file a run, under test/histories/engine-<N>: of each construct of the
// language, of each end of a task, and of the example project.
//
// What is there already stays as it is: that an older build made it is what it is worth. `npm run histories -- NAME`
// records one anew, `-- --all` all of them.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  connect,
  createSchedule,
  createTask,
  fetchHistories,
  fireSchedule,
  waitForTask,
} from '../build/client/index.js';
import { deleteIdOf, ENGINE, lockIdOf, scheduleIdOf, sessionIdOf, taskQueueOf } from '../build/contracts/names.js';
import { loadRegistry } from '../build/definitions/load-registry.js';
import { ownDefinitions } from '../build/planning/resolve/own-definitions.js';
import { digestOf } from '../build/rules/canonical.js';
import { deliveryIdOf } from '../build/rules/tasks/task-ids.js';
import { pathsOf } from '../build/server/project-paths.js';
import { stopRuntime } from '../build/server/runtime/stop-runtime.js';
import { startServer, startSkippingServer, withProject } from './histories/bench.mjs';
import { CONSTRUCTS, PROJECT_FILES } from './histories/constructs.mjs';
import { EXAMPLE } from './histories/example.mjs';
import { SHOWN, SHOWN_FILES, START_FILES, STARTS } from './histories/starts.mjs';
import {
  DELIVERIES,
  FIRINGS,
  LONG_SESSIONS,
  TEAM_ENVIRONMENTS,
  TEAM_FILES,
  TEAM_SESSIONS,
  TEAM_TASKS,
} from './histories/team.mjs';
import { writeHistory } from './histories/write-history.mjs';

const target = fileURLToPath(new URL(`../test/histories/engine-${ENGINE}`, import.meta.url));
const caller = { person: { name: 'recorder', source: 'claimed' }, kind: null, session: null, scope: null, trace: null };
const asked = process.argv.slice(2);
/** Events after which that server asks for a new run; by itself it waits for thousands. */
const FEW_EVENTS = 25;
const ONCE_A_YEAR = { cron: '0 0 1 1 *', timezone: 'UTC', overlap: 'skip', jitter_ms: 0, catch_up_ms: 3_600_000 };
const WEEK_AND_A_BIT_MS = 7.1 * 24 * 60 * 60 * 1000;

/** Those that are asked for, or not there yet. */
function missing(tasks) {
  const wanted = Object.entries(tasks).filter(
    ([name]) => asked.includes('--all') || asked.includes(name) || !existsSync(join(target, `${name}.json`)),
  );
  return wanted.length > 0 ? wanted : undefined;
}

async function record({ session, root, store, clock }, [name, task], { hasOwnKey }) {
  const { ability, input, environment = 'dev', run = true, more, before, act, lock } = task;
  const { caller: who, ...rest } = more ?? {};
  const key = hasOwnKey ? { made: name } : {};
  await before?.({ session });
  const wanted = { ability, input, environment, caller: { ...caller, ...who }, run, soon: true, ...rest, ...key };
  const { id } = task.outside ? await startOutside(session, name, wanted) : await createTask(session, wanted);
  await act?.({ session, id });
  if (clock) await clock.skip(WEEK_AND_A_BIT_MS);
  const end = await waitForTask(session, id, { timeoutMs: 60_000 });
  if (end.kind !== 'ended') throw new Error(`${name} did not end`);
  const beside = { deleted: deleteIdOf(id) }[name];
  const others = beside ? await fetchHistories(session, beside) : [];
  const locks = lock === undefined ? [] : await lockHistories(session, environment, lock);
  const runs = [...(await fetchHistories(session, id)), ...others, ...locks];
  // How the whole task ended says nothing of those it called.
  writeRuns(name, runs, { root, store, statusOf: (of) => (of === id ? end.result.status : undefined) });
}

/** As anyone who speaks Temporal starts an ability. */
async function startOutside({ temporal, project }, workflowId, { ability, environment, input }) {
  await temporal.workflow.start(ability, {
    workflowId,
    taskQueue: taskQueueOf(project, environment, 'local'),
    args: [input],
  });
  return { id: workflowId };
}

/** Records a session, which is over when the action is. */
async function recordSession({ session, root, store }, [name, act]) {
  await act(session, name);
  const runs = await fetchHistories(session, sessionIdOf(session.project, name));
  writeRuns(name, runs, { root, store, statusOf: () => undefined });
}

/** Records the task that a schedule starts. */
async function recordFiring({ session, root, store }, [name, spec]) {
  await createSchedule(session, { id: name, environment: 'dev', ...ONCE_A_YEAR, ...spec });
  await fireSchedule(session, name);
  const handle = session.temporal.schedule.getHandle(scheduleIdOf(session.project, name));
  let fired;
  while (!fired) [fired] = (await handle.describe()).info.recentActions;
  const { workflowId } = fired.action.workflow;
  await session.temporal.workflow
    .getHandle(workflowId)
    .result()
    .catch(() => {});
  writeRuns(name, await fetchHistories(session, workflowId), { root, store, statusOf: () => undefined });
}

/** Records the delivery of a webhook, which is a task. */
async function recordDelivery(bench, [name, wanted]) {
  const who = { person: { name: 'webhook:forge', source: 'claimed' }, kind: 'ci' };
  const more = { caller: who, made: deliveryIdOf('forge', name), leaves: true, unserved: true };
  await record(bench, [name, { ...wanted, more }], { hasOwnKey: false });
}

function writeRuns(name, runs, { root, store, statusOf }) {
  runs.forEach(({ workflowId, history }, at) => {
    const status = statusOf(workflowId);
    const file = join(target, `${at === 0 ? name : `${name}-${at + 1}`}.json`);
    writeHistory({ file, workflowId, status, history, root, store });
    console.log(`${file.slice(target.length + 1)}: ${status ?? 'called'}, ${history.events.length} events`);
  });
}

/** The lock of a key, once nobody is there any more. */
async function lockHistories(session, environment, key) {
  const lock = lockIdOf(session.project, environment, digestOf(key));
  await session.temporal.workflow.getHandle(lock).result();
  return fetchHistories(session, lock);
}

async function recordConstructs(tasks, start, files = PROJECT_FILES) {
  const wanted = missing(tasks);
  if (!wanted) return;
  await withProject(files, start, async (bench) => {
    for (const task of wanted) await record(bench, task, { hasOwnKey: true });
  });
}

async function recordTeam(tasks, sessions, start, firings = {}, deliveries = {}) {
  const left = [tasks, sessions, firings, deliveries].map((wanted) => missing(wanted) ?? []);
  const [tasksLeft, sessionsLeft, firingsLeft, deliveriesLeft] = left;
  if (left.flat().length === 0) return;
  const like = { environments: TEAM_ENVIRONMENTS, proves: true };
  const action = async (bench) => {
    for (const task of tasksLeft) await record(bench, task, { hasOwnKey: true });
    for (const each of sessionsLeft) await recordSession(bench, each);
    for (const each of firingsLeft) await recordFiring(bench, each);
    for (const each of deliveriesLeft) await recordDelivery(bench, each);
  };
  await withProject(TEAM_FILES, start, action, like);
}

async function recordExample() {
  const wanted = missing(EXAMPLE);
  if (!wanted) return;
  const { claimEnvFiles } = await import('../examples/signup/env-files.mjs');
  const { PROJECT_ROOT: root, startSystem } = await import('../examples/signup/start-system.mjs');
  const files = claimEnvFiles(root, ['dev', 'staging']);
  const system = await startSystem({ folder: join(root, '.system', 'example') });
  try {
    files.write(system.env);
    const { project } = loadRegistry(root).project;
    const definitions = ownDefinitions(() => loadRegistry(root));
    const session = await connect({ root, project, definitions, progress: (text) => console.error(text) });
    const bench = { session, root, store: pathsOf(root).store };
    for (const [name, task] of wanted) {
      await record(bench, [name, { environment: 'staging', ...task }], { hasOwnKey: false });
    }
    await session.close();
  } finally {
    files.remove();
    await stopRuntime(pathsOf(root));
    await system.stop();
  }
}

mkdirSync(target, { recursive: true });
await recordConstructs(CONSTRUCTS.plain, (root) => startServer(root, []));
await recordConstructs(CONSTRUCTS.long, (root) =>
  startServer(root, [`limit.historyCount.suggestContinueAsNew=${FEW_EVENTS}`]),
);
await recordConstructs(CONSTRUCTS.skipping, startSkippingServer);
await recordTeam(TEAM_TASKS, TEAM_SESSIONS, (root) => startServer(root, []), FIRINGS, DELIVERIES);
await recordTeam({}, LONG_SESSIONS, (root) =>
  startServer(root, [`limit.historyCount.suggestContinueAsNew=${FEW_EVENTS}`]),
);
await recordConstructs(STARTS, (root) => startServer(root, []), START_FILES);
await recordConstructs(SHOWN, (root) => startServer(root, []), SHOWN_FILES);
await recordExample();
