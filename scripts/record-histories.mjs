// Records histories of the example project for the replay tests: one file a task, under test/histories/engine-<N>.
// Run it when the interpreter gains a construct; files of earlier engines stay as they are.
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { cancelTask, connect, createTask, decide, openApprovals, runTask, waitForTask } from '../dist/client/index.js';
import { ENGINE } from '../dist/contracts/names.js';
import { loadRegistry } from '../dist/definitions/load-registry.js';
import { pathsOf } from '../dist/server/project-paths.js';
import { stopRuntime } from '../dist/server/stop-runtime.js';
import { claimEnvFiles } from '../examples/signup/env-files.mjs';
import { PROJECT_ROOT, startSystem } from '../examples/signup/start-system.mjs';

const target = fileURLToPath(new URL(`../test/histories/engine-${ENGINE}`, import.meta.url));
const user = { name: 'recorder', source: 'claimed' };
const stamp = Date.now().toString(36);

/** What is recorded: name to the task, and what people do to it while it runs. */
const TASKS = {
  'signup-succeeded': { ability: 'signup_e2e_test', input: { build_id: `h1.${stamp}` }, act: approve },
  'signup-denied': { ability: 'signup_e2e_test', input: { build_id: `h2.${stamp}` }, act: deny },
  'signup-cancelled': { ability: 'signup_e2e_test', input: { build_id: `h3.${stamp}` }, act: cancel },
  'signup-failed': {
    ability: 'signup_e2e_test',
    input: { build_id: `h4.${stamp}`, email: 'taken@example.test' },
  },
  'billing-succeeded': { ability: 'billing_regression', input: { build_id: `h5.${stamp}` }, act: approve },
  'operation-created-then-run': {
    ability: 'db.read.user_row',
    input: { user_id: 'u-nobody' },
    run: false,
    act: ({ session, id }) => runTask(session, id),
  },
  'operation-denied': {
    ability: 'http.call.signup_service',
    input: { email: 'x@example.test' },
    environment: 'prod',
  },
};

async function whenAsked({ session, id }, verdict) {
  for (;;) {
    const [open] = await openApprovals(session, id);
    if (open) return decide(session, id, verdict, { approval_id: open.id, by: 'release-manager', comment: verdict });
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function approve(task) {
  await whenAsked(task, 'approve');
}

async function deny(task) {
  await whenAsked(task, 'deny');
}

async function cancel({ session, id }) {
  while ((await openApprovals(session, id)).length === 0) await new Promise((resolve) => setTimeout(resolve, 100));
  await cancelTask(session, id);
}

/** Nothing of the machine belongs in a file of the repository: paths, host, process. */
function withoutMachine(value) {
  if (Array.isArray(value)) return value.map(withoutMachine);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([key, item]) => {
    if (key === 'identity' || key === 'workerIdentity') return [key, 'worker'];
    if (key === 'stackTrace') return [key, ''];
    if (typeof item === 'string' && key !== 'data') return [key, cleanText(item)];
    if (key === 'data' && typeof item === 'string') return [key, cleanPayload(item)];
    return [key, withoutMachine(item)];
  });
  return Object.fromEntries(entries);
}

function cleanPayload(data) {
  return Buffer.from(cleanText(Buffer.from(data, 'base64').toString('utf8'))).toString('base64');
}

function cleanText(text) {
  return text.replaceAll(PROJECT_ROOT, '/project').replaceAll(hostname(), 'host');
}

async function record(session, name, { ability, input, environment = 'staging', run = true, act }) {
  const { id } = await createTask(session, { ability, input, environment, user, run });
  await act?.({ session, id });
  const end = await waitForTask(session, id, { timeoutMs: 60_000 });
  if (end.kind !== 'ended') throw new Error(`${name} did not end`);
  const history = await session.temporal.workflow.getHandle(id).fetchHistory();
  const json = withoutMachine(JSON.parse(historyToJSON(history)));
  const file = join(target, `${name}.json`);
  writeFileSync(file, `${JSON.stringify({ workflowId: id, status: end.result.status, history: json }, null, 1)}\n`);
  console.log(`${name}: ${end.result.status}, ${history.events.length} events`);
}

mkdirSync(target, { recursive: true });
const files = claimEnvFiles(PROJECT_ROOT, ['dev', 'staging']);
const system = await startSystem({ folder: join(PROJECT_ROOT, '.system', 'example') });
try {
  files.write(system.env);
  const { project } = loadRegistry(PROJECT_ROOT).project;
  const session = await connect({ root: PROJECT_ROOT, project, progress: (text) => console.error(text) });
  for (const [name, task] of Object.entries(TASKS)) await record(session, name, task);
  await session.close();
} finally {
  files.remove();
  await stopRuntime(pathsOf(PROJECT_ROOT));
  await system.stop();
}
