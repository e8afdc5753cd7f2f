import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signSeal } from '../../src/activities/seal.js';
import { awaitResult, viewTask } from '../../src/client/index.js';
import { preflightIdOf, taskQueueOf } from '../../src/contracts/names.js';
import type { Seal } from '../../src/contracts/seal.js';
import { isStepEnd } from '../../src/contracts/states.js';
import type { PreflightAnswer, Progress, TaskRequest, TaskResult, TaskStart } from '../../src/contracts/task.js';
import { digestOf } from '../../src/rules/canonical.js';
import { keysFromEnvironment } from '../../src/worker/seal-keys.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject, TEST_KEYS } from '../fixtures/running-project.js';

let project: RunningProject;

/** Each step notes that it ran; a held step does not end. */
const STEPS = ['first', 'left', 'right', 'inner', 'last', 'bye'];
const note = (id: string) => `{ call: util.note, with: { id: ${id}, root: "\${{ input.root }}" } }`;

beforeAll(async () => {
  project = await runProject({
    ...operation(
      'util.note',
      'while (existsSync(`${input.root}/hold-${input.id}`)) await sleep(50); appendFileSync(`${input.root}/notes`, input.id + "\\n"); return { id: input.id };',
      { effects: 'write_idempotent' },
    ),
    ...workflow(
      'long',
      `
steps:
  - { id: first, call: util.note, with: { id: first, root: "\${{ input.root }}" } }
  - id: both
    parallel: { left: ${note('left')}, right: ${note('right')} }
  - { id: not_taken, if: "false", let: { x: 1 } }
  - { id: tolerated, fail: { code: mine, message: no }, continue_on_error: true }
  - id: group
    steps:
      - { id: inner, call: util.note, with: { id: inner, root: "\${{ input.root }}" } }
      - { id: named, let: { from: "\${{ steps.inner.output.id + steps.tolerated.error.code }}" } }
  - { id: last, call: util.note, with: { id: last, root: "\${{ input.root }}" } }
finally:
  - { id: bye, call: util.note, with: { id: bye, root: "\${{ input.root }}" } }
output: { both: "\${{ steps.both.output }}", named: "\${{ steps.named.output.from }}", last: "\${{ steps.last.output.id }}" }`,
    ),
  });
});
afterAll(() => project.stop());

const notes = () => readFileSync(join(project.root, 'notes'), 'utf8').trim().split('\n').sort();
const outcome = ({ status, output, steps }: TaskResult) => ({
  status,
  output,
  steps: steps.map(({ path, status: ended }) => `${path} ${ended}`),
});

/** Starts the task as a later run would: with the progress of an earlier one. */
async function startWith(progress: Progress, name: string): Promise<TaskResult> {
  const { connection } = project;
  const taskQueue = taskQueueOf(connection.project, 'dev', 'local');
  const request: TaskRequest = {
    ability: 'long',
    environment: 'dev',
    input: { root: project.root },
    task: name,
    direct: false,
    user: { name: 'tester', source: 'claimed' },
    session: null,
  };
  const options = { taskQueue, workflowId: preflightIdOf(name, connection.project), args: [request] };
  const answer = (await connection.temporal.workflow.execute('ability:preflight', options)) as PreflightAnswer;
  const { plan, input, warnings } = answer;
  const { key_id: _, mac: __, ...sealed } = answer.seal as Seal;
  // Unsealed progress would let any caller skip an approval.
  const seal = signSeal({ ...sealed, progress: digestOf(progress) }, keysFromEnvironment(TEST_KEYS));
  const start: TaskStart = {
    format: 1,
    plan,
    seal,
    input,
    warnings,
    progress,
    user: request.user,
    session: null,
    run: true,
  };
  await connection.temporal.workflow.start('long', { taskQueue, workflowId: name, args: [start] });
  return awaitResult(connection, name);
}

test('progress is data: a run stopped after any step and restarted from its map ends the same and repeats nothing', async () => {
  const whole = outcome(await project.run('long', { root: project.root }));
  expect(whole).toMatchObject({ status: 'succeeded', output: { named: 'innermine', last: 'last' } });
  expect(notes()).toEqual([...STEPS].sort());
  for (const held of STEPS) {
    rmSync(join(project.root, 'notes'));
    writeFileSync(join(project.root, 'notes'), '');
    const gate = join(project.root, `hold-${held}`);
    writeFileSync(gate, '');
    const { id } = await project.create('long', { root: project.root });
    let progress: Progress = {};
    await expect
      .poll(
        async () => {
          progress = (await viewTask(project.connection, id)).view?.progress ?? {};
          const own = Object.entries(progress).find(([path]) => path.endsWith(held))?.[1].status;
          const others = Object.entries(progress).filter(([path]) => /left|right/.test(path) && !path.endsWith(held));
          return own === 'running' && others.every(([, { status }]) => status === 'succeeded');
        },
        { timeout: 20_000 },
      )
      .toBe(true);
    await project.connection.temporal.workflow.getHandle(id).terminate();
    rmSync(gate);
    // The held script ends by itself; its note must not be mistaken for a note of the second run.
    await expect.poll(() => existsSync(join(project.root, 'notes')) && notes().includes(held)).toBe(true);
    const before = notes().filter((name) => name !== held);
    writeFileSync(join(project.root, 'notes'), before.map((name) => `${name}\n`).join(''));
    const done = Object.fromEntries(Object.entries(progress).filter(([, { status }]) => isStepEnd(status)));
    expect(outcome(await startWith(done, `again-${held}`))).toEqual(whole);
    expect(notes().filter(Boolean)).toEqual([...STEPS].sort());
  }
});
