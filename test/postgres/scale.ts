/** Many tasks on one worker and on four, of two builds, with a shared bucket: who loses what, and what it costs. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ResultPromise } from 'execa';
import { type Connection, createTask } from '../../src/client/index.js';
import { deploymentOf } from '../../src/contracts/names.js';
import { startEffects } from '../chaos/effect-service.js';
import { pause } from '../chaos/extent.js';
import { openConnection } from '../chaos/sites.js';
import { callerOf } from '../fixtures/caller.js';
import { start } from '../fixtures/command-line.js';
import { makeProject, workflow } from '../fixtures/project-folder.js';
import { apiAbility } from '../fixtures/servers/definitions.js';

/** Where it runs, and how much. */
export interface ScaleOptions {
  address: string;
  /** Pids of the parts that workers share, by name. */
  shared: Record<string, () => number[]>;
  store: { address: string; env: Record<string, string> };
  /** Tasks of the run with one worker, and of that with four. */
  one: number;
  four: number;
  clients: number;
}

/** What came of one run. */
export interface ScaleRun {
  tasks: number;
  workers: number;
  tasksPerSecond: number;
  /** Milliseconds of CPU a task, of each process or part. */
  cpu: Record<string, number>;
  /** Ends that are not `succeeded`, and tasks without an end. */
  wrong: string[];
  /** Effects that did not happen exactly once. */
  notOnce: string[];
  /** Requests beyond one a task, each with the same key. */
  repeated: number;
  /** Tasks by the build that ended them. */
  byBuild: Record<string, number>;
}

const PROJECT = 'scale';
/** In the store, not in the history. */
const LARGE = 'x'.repeat(150_000);
/** One task in so many has it. */
const LARGE_EACH = 20;
/** Of the run with four workers: at the first share one is killed, at the second the other build becomes current. */
const [KILL_AT, SWITCH_AT] = [0.3, 0.5];
const KILLED_FOR_MS = 3000;

/** One worker, then four of two builds, of which one is killed and started again. */
export async function runAtScale(options: ScaleOptions): Promise<{ one: ScaleRun; four: ScaleRun }> {
  const effects = await startEffects();
  const folder = makeProject({
    ...apiAbility(
      'pay.once',
      effects.origin,
      { method: 'POST', path: '/paid', endpoint: 'default' },
      {
        more: {
          effects: 'write_idempotent',
          input_schema: { type: 'object', properties: { note: { type: 'string' } } },
        },
      },
    ),
    ...workflow(
      'pays',
      'placement: local\ninput_schema: { type: object, properties: { note: { type: string } } }\nsteps: [{ id: pay, call: pay.once }]\noutput: { effect: "${{ steps.pay.output.effect }}" }',
    ),
  });
  const keys = `scale:${randomBytes(32).toString('base64url')}`;
  const env = {
    ...options.store.env,
    ...{ TEMPORAL_ADDRESS: options.address, ABILITY_SEAL_KEYS: keys, ABILITY_STORE: options.store.address },
  };
  const workers = new Map<string, { process: ResultPromise; build: string }>();
  const serve = async (name: string, build: string): Promise<void> => {
    const process = start(['worker', '--build', build], { cwd: folder.root, env });
    workers.set(name, { process, build });
    await new Promise<void>((resolve, reject) => {
      process.stderr?.on('data', (chunk: Buffer) => String(chunk).includes('As the build') && resolve());
      process.then(({ stderr }) => reject(new Error(String(stderr))));
    });
  };
  Object.assign(process.env, options.store.env, { ABILITY_STORE: options.store.address });
  const connection = await openConnection(folder, options.address);

  const use = async (buildId: string): Promise<void> => {
    const deploymentName = deploymentOf(connection.project, 'dev');
    const request = { namespace: connection.namespace, deploymentName, buildId, identity: PROJECT };
    for (;;) {
      const isSet = await connection.temporal.workflowService.setWorkerDeploymentCurrentVersion(request).then(
        () => true,
        () => false,
      );
      if (isSet) return;
      await pause(200);
    }
  };

  const measure = async (tasks: number, prefix: string, during: (share: number) => void): Promise<ScaleRun> => {
    const used = () => cpuByPart({ ...options.shared, ...Object.fromEntries(pidsOf(workers)) });
    const [before, requests, began] = [used(), effects.deliveries.length, performance.now()];
    const ended = new Map<string, string>();
    let next = 0;
    const client = async (): Promise<void> => {
      for (let at = next++; at < tasks; at = next++) {
        during(at / tasks);
        const key = `${prefix}-${at}`;
        ended.set(key, await runOne(connection, key, at % LARGE_EACH === 0 ? { note: LARGE } : {}));
      }
    };
    await Promise.all(Array.from({ length: options.clients }, client));
    const seconds = (performance.now() - began) / 1000;
    const after = used();
    const made = effects.deliveries.slice(requests);
    const owners = new Map([...effects.effects.keys()].map((key) => [key.replace(/\/.*$/, ''), key]));
    const expected = Array.from({ length: tasks }, (_, at) => `${prefix}-${at}`);
    return {
      tasks,
      workers: workers.size,
      tasksPerSecond: tasks / seconds,
      cpu: Object.fromEntries(
        Object.keys(after).map((part) => [part, ((after[part] ?? 0) - (before[part] ?? 0)) / tasks]),
      ),
      wrong: expected.flatMap((key) => (ended.get(key) === 'succeeded' ? [] : `${key}: ${ended.get(key)}`)),
      notOnce: [
        ...expected.filter((key) => !owners.has(key)),
        ...[...effects.effects.keys()].filter(
          (key) => key.startsWith(`${prefix}-`) && owners.get(key.replace(/\/.*$/, '')) !== key,
        ),
      ],
      repeated: made.length - new Set(made.map(({ key }) => key)).size,
      byBuild: await pause(2000).then(() => countByBuild(connection, prefix)),
    };
  };

  try {
    await serve('worker 1', 'one');
    await use('one');
    await measure(Math.min(options.one, 50), 'warm', () => {});
    const one = await measure(options.one, 'single', () => {});
    await serve('worker 2', 'one');
    await Promise.all([serve('worker 3', 'two'), serve('worker 4', 'two')]);
    let step = 0;
    const pending: Promise<void>[] = [];
    const four = await measure(options.four, 'many', (share) => {
      if (step === 0 && share >= KILL_AT) {
        step = 1;
        workers.get('worker 2')?.process.kill('SIGKILL');
        pending.push(pause(KILLED_FOR_MS).then(() => serve('worker 2', 'one')));
      }
      if (step === 1 && share >= SWITCH_AT) {
        step = 2;
        pending.push(use('two'));
      }
    });
    await Promise.all(pending);
    return { one, four };
  } finally {
    await connection.close();
    for (const { process } of workers.values()) process.kill('SIGTERM');
    await Promise.all([...workers.values()].map(({ process }) => process));
    await effects.stop();
    folder.remove();
  }
}

async function runOne(connection: Connection, key: string, input: { note?: string }): Promise<string> {
  try {
    const wanted = { ability: 'pays', environment: 'dev', input, caller: callerOf(), key, run: true, soon: true };
    await createTask(connection, wanted);
    const handle = connection.temporal.workflow.getHandle(key);
    await handle.result();
    return 'succeeded';
  } catch (error) {
    const { cause } = error as { cause?: unknown };
    return cause === undefined ? String(error) : String(cause);
  }
}

/** Visibility is written a little later than the end of a task; one that moved to another queue has two runs. */
async function countByBuild({ temporal, project }: Connection, prefix: string): Promise<Record<string, number>> {
  const counts = await Promise.all(
    ['one', 'two'].map(async (build) => {
      const version = `${deploymentOf(project, 'dev')}:${build}`;
      const query = `WorkflowId STARTS_WITH "${prefix}-" AND ExecutionStatus = "Completed" AND TemporalWorkerDeploymentVersion = "${version}"`;
      return [build, (await temporal.workflow.count(query)).count] as const;
    }),
  );
  return Object.fromEntries(counts);
}

const pidsOf = (workers: ReadonlyMap<string, { process: ResultPromise }>): [string, () => number[]][] =>
  [...workers].map(([name, { process }]) => [name, () => (process.pid === undefined ? [] : [process.pid])]);

const TICK_MS = 10;

/** CPU time of each part, with that of threads that have ended. A part that was started anew has only its own. Milliseconds. */
function cpuByPart(parts: Record<string, () => number[]>): Record<string, number> {
  const cpu = (pid: number): number => {
    const [user, system] = statOf(pid)?.slice(11, 13) ?? [];
    return (Number(user ?? 0) + Number(system ?? 0)) * TICK_MS;
  };
  return Object.fromEntries(
    Object.entries(parts).map(([name, pids]) => [
      name,
      [...new Set(pids().flatMap(withChildren))].reduce((sum, pid) => sum + cpu(pid), 0),
    ]),
  );
}

/** The fields of `/proc/PID/stat` after the name of the program; undefined once it has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** As the backends of PostgreSQL. */
function withChildren(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => [Number(name), Number(statOf(Number(name))?.[1])] as const);
  const below = (of: number): number[] => [
    of,
    ...parents.filter(([, parent]) => parent === of).flatMap(([child]) => below(child)),
  ];
  return below(pid);
}

/** Figures as a table, with each divided by that of the single worker. */
export function scaleTable({ one, four }: { one: ScaleRun; four: ScaleRun }): string {
  const total = ({ cpu }: ScaleRun, of: RegExp) =>
    Object.entries(cpu).reduce((sum, [part, ms]) => (of.test(part) ? sum + ms : sum), 0);
  const parts = [...new Set(Object.keys({ ...one.cpu, ...four.cpu }))].filter((part) => !part.startsWith('worker'));
  const row = (name: string, a: number, b: number) =>
    `${name.padEnd(28)} ${a.toFixed(1)} ${b.toFixed(1)} ${(b / a).toFixed(2)}`;
  return [
    `${'one worker, four, ratio'.padStart(50)}`,
    row('tasks/s', one.tasksPerSecond, four.tasksPerSecond),
    row('CPU a task, workers (ms)', total(one, /^worker/), total(four, /^worker/)),
    ...parts.map((part) => row(`CPU a task, ${part} (ms)`, one.cpu[part] ?? 0, four.cpu[part] ?? 0)),
    ...Object.entries(four.cpu).flatMap(([part, ms]) =>
      part.startsWith('worker') ? `  ${part}: ${ms.toFixed(1)} ms a task` : [],
    ),
    `tasks by build: ${JSON.stringify(four.byBuild)}; requests repeated under the same key: ${four.repeated}`,
  ].join('\n');
}
