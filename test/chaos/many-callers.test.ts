import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Connection, connect, createTask, listTasks } from '../../src/client/index.js';
import { callerOf } from '../fixtures/caller.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { startTemporal, type TestServer } from '../fixtures/temporal-server.js';
import { chance, SEED, say, WHOLE } from './extent.js';

const KEYS = 50;
const CALLERS = 100;
const CONNECTIONS = 10;
const LIMIT_MS = 10 * 60_000;

let server: TestServer;
let project: RunningProject;
let connections: Connection[];

// A smaller version runs with the other tests: test/integration/pinning.test.ts.
beforeAll(async () => {
  if (!WHOLE) return;
  server = await startTemporal();
  project = await runProject(
    {
      'ability.yaml': projectFile(),
      ...operation('op.keyed', 'appendFileSync(input.file, `${input.n}\\n`); return { n: input.n };', {
        effects: 'write_idempotent',
      }),
      ...workflow(
        'keyed',
        'steps: [{ id: a, call: op.keyed, with: { n: "${{ input.n }}", file: "${{ input.file }}" } }]\noutput: "${{ steps.a.output.n }}"',
      ),
    },
    server,
  );
  const { root, connection } = project;
  connections = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => connect({ root, project: connection.project, address: server.address })),
  );
});
afterAll(async () => {
  if (!WHOLE) return;
  await Promise.all(connections.map((connection) => connection.close()));
  await project.stop();
  await server.stop();
});

/** All keys, in an order that is different for each caller. */
function shuffled(seed: number): number[] {
  const random = chance(seed);
  return Array.from({ length: KEYS }, (_, n) => ({ n, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ n }) => n);
}

test.runIf(WHOLE)(
  `${CALLERS} callers want the same ${KEYS} keys: ${KEYS} tasks, and every caller gets each key (seed ${SEED})`,
  async () => {
    const file = `${project.root}/done`;
    const started = Date.now();
    const call = async (caller: number): Promise<[n: number, id: string, runId: string][]> => {
      const connection = connections[caller % CONNECTIONS] as Connection;
      const got: [number, string, string][] = [];
      for (const n of shuffled(SEED + caller)) {
        const wanted = {
          ability: 'keyed',
          environment: 'dev',
          input: { n, file },
          caller: callerOf(),
          run: true,
          key: `many-${n}`,
        };
        const { id, runId } = await createTask(connection, wanted);
        got.push([n, id, runId]);
      }
      return got;
    };
    const all = (await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))).flat();
    say(`seed ${SEED}: ${all.length} creations of ${KEYS} tasks in ${Date.now() - started} ms`);
    expect(all).toHaveLength(CALLERS * KEYS);
    expect(all.filter(([n, id]) => id !== `many-${n}`)).toEqual([]);
    expect(new Set(all.map(([n, , runId]) => `${n} ${runId}`)).size).toBe(KEYS);
    for (let n = 0; n < KEYS; n += 1) expect(await project.wait(`many-${n}`)).toMatchObject({ result: { output: n } });
    const list = () => listTasks(project.connection, { ability: 'keyed', limit: 200 });
    await expect.poll(async () => (await list()).length, { timeout: 20_000 }).toBe(KEYS);
  },
  LIMIT_MS,
);
