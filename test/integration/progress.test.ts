import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signSeal } from '../../src/activities/seal.js';
import { awaitResult, viewTask } from '../../src/client/index.js';
import { taskQueueOf } from '../../src/contracts/names.js';
import { isStepEnd } from '../../src/contracts/states.js';
import type { Progress, TaskResult } from '../../src/contracts/task.js';
import { digestOf } from '../../src/rules/canonical.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { keysFromEnvironment } from '../../src/worker/seal-keys.js';
import { continueElsewhere, startForeign } from '../fixtures/foreign-workflow.js';
import { operation, workflow } from '../fixtures/project-folder.js';
import { readStart } from '../fixtures/read-start.js';
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

/** Continues with the progress of another task, as a later run would, under a seal of our own key. */
async function startWith(whole: string, progress: Progress, name: string): Promise<TaskResult> {
  const { connection } = project;
  const begun = await readStart(connection, whole);
  const { key_id: _, mac: __, ...sealed } = begun.seal;
  // Unsealed progress would let any caller skip an approval.
  const seal = signSeal({ ...sealed, task: name, progress: digestOf(progress) }, keysFromEnvironment(TEST_KEYS));
  // The first run of a chain must be one of ours, so it is started on our queue, and taken up while no worker is.
  const queue = taskQueueOf(connection.project, 'dev', 'local');
  await project.stopWorkers();
  const at = await startForeign(connection, name, 'long', [begun.input], queue);
  await continueElsewhere(connection, at, {
    type: 'long',
    queue,
    args: nextArguments({ ...begun, seal, progress }),
    attributes: { AbilityProject: connection.project },
  });
  await project.restartWorkers();
  return awaitResult(connection, name);
}

test('progress is data: a run stopped after any step and restarted from its map ends the same and repeats nothing', async () => {
  const first = await project.run('long', { root: project.root });
  const whole = outcome(first);
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
    expect(outcome(await startWith(String(first.task_key), done, `again-${held}`))).toEqual(whole);
    expect(notes().filter(Boolean)).toEqual([...STEPS].sort());
  }
});
