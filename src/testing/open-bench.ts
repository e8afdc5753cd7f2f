import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection as TemporalConnection } from '@temporalio/client';
import { type InternalConnectionOptions, InternalConnectionOptionsSymbol } from '@temporalio/client/lib/connection.js';
import type { ActivityDependencies, SetClock } from '../activities/dependencies.js';
import type { FileStore } from '../activities/files/file-store.js';
import { createAnswerAbility } from '../activities/hooks/ability-handler.js';
import { type HookRun, isOfTask } from '../activities/hooks/hook-context.js';
import { readHookResult } from '../activities/hooks/read-hook-result.js';
import type { Connection } from '../client/index.js';
import type { DecisionProof, ProvedDecision } from '../contracts/approvals.js';
import type { EventContext, HookAnswer } from '../contracts/hooks.js';
import { ATTRIBUTES, placementsOf } from '../contracts/names.js';
import type { Registry } from '../definitions/registry.js';
import type { Progress } from '../server/binary/find-program.js';
import { obtainTestServer } from '../server/binary/find-test-server.js';
import { proveDecision, whyNotProved } from '../server/keys/proof-key.js';
import { SpillingCodec } from '../server/payloads/payload-codec.js';
import { type ProjectPaths, pathsOf } from '../server/project-paths.js';
import { openStore } from '../server/store/open-store.js';
import { startTestServer, type TestServer } from '../server/temporal/test-server.js';
import { allPlaces, WorkerHost } from '../worker/host-workers.js';
import { log } from '../worker/logger.js';
import { CaseCalls, createMockedExecute } from './case-calls.js';
import { PlaceholderVariables, placeholderSecrets } from './placeholders.js';
import type { PreparedCase } from './prepared-case.js';
import { TestClock } from './test-clock.js';

/** A time-skipping server and workers with mocked calls; shared by all cases of a run. */
export interface Bench {
  connection: Connection;
  clock: TestClock;
  /** Registers a case. @returns its task key, and what answers and records its calls. */
  begin(prepared: PreparedCase): { task: string; calls: CaseCalls };
  /** Makes the proof of a decision, in the name of its decider. */
  prove(decision: ProvedDecision): DecisionProof;
  close(): Promise<void>;
}

const NAMESPACE = 'default';
/** Used by cases only, never by a project or runtime. */
const PROOF_KEY = randomBytes(32);
/** Temporal's numeric type of all our search attributes. */
const KEYWORD = 2;

/** All its data is temporary. @throws AbilityError `temporal.binary_missing`, `temporal.unavailable`. */
export async function openBench(
  registry: Registry,
  environments: string[],
  progress: Progress,
  env?: NodeJS.ProcessEnv,
): Promise<Bench> {
  const { path: binary } = await obtainTestServer(progress, env);
  const folder = mkdtempSync(join(tmpdir(), 'ability-cases-'));
  const closers: (() => Promise<void> | void)[] = [
    () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) await closer();
  };
  try {
    const server = await startTestServer(binary, join(folder, 'server.log'));
    closers.push(() => server.stop());
    const paths = pathsOf(registry.root, folder);
    const { connection, clock } = await openSession(registry, paths, server);
    closers.push(() => connection.close());
    const cases = new Map<string, { prepared: PreparedCase; calls: CaseCalls }>();
    const host = await hostWorkers(registry, paths, server, environments, clock, (task) => {
      const found = cases.get(task.split('/', 1)[0] ?? task);
      if (!found) throw new Error(`no case has the task ${task}`);
      return found;
    });
    closers.push(() => host.stop());
    const begin = (prepared: PreparedCase): { task: string; calls: CaseCalls } => {
      const task = `case-${cases.size + 1}`;
      const calls = new CaseCalls(prepared.mocks);
      cases.set(task, { prepared, calls });
      return { task, calls };
    };
    return { connection, clock, begin, prove: (decision) => proveDecision(PROOF_KEY, decision), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openSession(
  { project: { project } }: Registry,
  paths: ProjectPaths,
  { address }: TestServer,
): Promise<{ connection: Connection; clock: TestClock }> {
  const options: InternalConnectionOptions = {
    address,
    [InternalConnectionOptionsSymbol]: { supportsTestService: true },
  };
  const dialed = await TemporalConnection.connect(options);
  const searchAttributes = Object.fromEntries(Object.keys(ATTRIBUTES).map((name) => [name, KEYWORD]));
  await dialed.operatorService.addSearchAttributes({ namespace: NAMESPACE, searchAttributes });
  const store = openStore(paths.store, null, paths);
  const codec = new SpillingCodec(store, null);
  const connection: Connection = {
    temporal: new Client({ connection: dialed, namespace: NAMESPACE, dataConverter: { payloadCodecs: [codec] } }),
    project,
    address,
    namespace: NAMESPACE,
    ui: null,
    page: null,
    paths,
    store,
    codec,
    isOwnRuntime: false,
    started: false,
    close: () => dialed.close(),
  };
  return { connection, clock: new TestClock(dialed.testService as NonNullable<TemporalConnection['testService']>) };
}

/** Base URL of links in a case; no server runs there. */
const TEST_UI = 'https://temporal.example';

async function hostWorkers(
  registry: Registry,
  paths: ProjectPaths,
  { address }: TestServer,
  environments: string[],
  clock: TestClock,
  caseOf: (task: string) => { prepared: PreparedCase; calls: CaseCalls },
): Promise<WorkerHost> {
  const secrets = (environment: string) => placeholderSecrets(registry.root, environment);
  const hooksOf = (task: string) => caseOf(task).prepared.hooks;
  log.level = process.env.ABILITY_LOG ?? 'warn';
  const host = await WorkerHost.connect({
    paths,
    project: registry.project.project,
    connectionOptions: { address },
    namespace: NAMESPACE,
    store: paths.store,
    keys: { keys: new Map([['test', randomBytes(32)]]) },
    ui: TEST_UI,
    adapt: (real): ActivityDependencies => {
      const execute = createMockedExecute(
        (task) => caseOf(task).calls,
        (operation, call) => real.execute(operation, { ...call, secrets: real.secrets(call.environment.name) }),
      );
      return {
        ...real,
        execute,
        answerScript: createMockedHooks(hooksOf, real.answerScript),
        answerAbility: createMockedHooks(
          hooksOf,
          createAnswerAbility({ root: registry.root, execute, secrets, files: real.files }),
        ),
        secrets,
        // The files that a case names in its input do not exist.
        files: { ...real.files, store: givingAll(real.files.store) },
        // Calls are mocked, so no MCP server is needed.
        tools: { pin: async (plan) => ({ plan, warnings: [] }) },
        variables: (environment) => new PlaceholderVariables(registry, environment),
        recordUsage: () => {},
        // Cases must not depend on the user who runs them.
        proofs: () => (act, proof) =>
          'door' in proof || 'task' in act ? 'cases have no door' : whyNotProved(PROOF_KEY, act.by, act, proof),
        clockOf: (task) => clockOf(caseOf(task).prepared, clock),
      };
    },
  });
  try {
    await host.serve(allPlaces(environments, placementsOf(registry.project)));
    return host;
  } catch (error) {
    await host.stop();
    throw error;
  }
}

async function clockOf({ now }: PreparedCase, clock: TestClock): Promise<SetClock | undefined> {
  return now === undefined ? undefined : { now, shift_ms: Math.round(now - (await clock.now())) };
}

/** A store that claims to have every file named in a case. */
function givingAll(store: FileStore): FileStore {
  return {
    keep: (...kept) => store.keep(...kept),
    open: (digest) => store.open(digest),
    release: (task) => store.release(task),
    hold: async () => {},
  };
}

type Answer<Handler> = (id: string, handler: Handler, context: EventContext, run: HookRun) => Promise<HookAnswer>;

/** Answers hooks as the task's case says; the others really run. @param hooksOf the case's hooks, by task. */
function createMockedHooks<Handler>(
  hooksOf: (task: string) => PreparedCase['hooks'],
  live: Answer<Handler>,
): Answer<Handler> {
  return async (id, handler, context, run) => {
    const hooks = isOfTask(run) ? hooksOf(run.task) : {};
    if (!Object.hasOwn(hooks, id)) return live(id, handler, context, run);
    return readHookResult(id, hooks[id], { phase: run.phase, path: run.path, ability: context.ability_id });
  };
}
