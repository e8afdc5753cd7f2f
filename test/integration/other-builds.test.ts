import { afterAll, beforeAll, expect, test } from 'vitest';
import { CEL, ENGINE, taskQueueOf } from '../../src/contracts/names.js';
import type { Plan } from '../../src/contracts/plan.js';
import { nextArguments } from '../../src/rules/tasks/task-arguments.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { continueElsewhere, startForeign } from '../fixtures/foreign-workflow.js';
import { readStart } from '../fixtures/read-start.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows();
});
afterAll(() => flows.project.stop());

async function noted(name: string) {
  const { project } = flows;
  const ability = flows.define('steps: [{ id: a, call: util.note, with: { file: "${{ input.file }}", text: a } }]');
  const { id } = await project.create(ability, { file: flows.file(name) });
  expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
  const start = await readStart(project.connection, id);
  return { id, ability, start, queue: taskQueueOf(project.connection.project, 'dev', start.plan.placement) };
}

/** Waits as every caller does, and ends the task afterwards. */
async function refusalOf(id: string): Promise<unknown> {
  const error = await flows.project.wait(id).catch((reason: unknown) => reason);
  await flows.project.connection.temporal.workflow.getHandle(id).terminate();
  return error;
}

test.each<[string, Partial<Plan>, RegExp]>([
  ['engine', { engine: 99 }, /engine 99, this build has engine 1/],
  ['CEL', { cel: 99 }, /CEL 99, this build has CEL 1/],
])(
  'a run whose plan is for another %s waits for a build of its own, is refused here with both versions, and calls nothing',
  async (name, other, message) => {
    const { id, ability, start, queue } = await noted(`other-${name}`);
    expect(start.plan).toMatchObject({ engine: ENGINE, cel: CEL });
    const { connection } = flows.project;
    const at = await startForeign(connection, `${id}-${name}`, ability, []);
    const args = nextArguments({ ...start, plan: { ...start.plan, ...other } });
    await continueElsewhere(connection, at, { type: ability, queue, args });
    expect(await refusalOf(`${id}-${name}`)).toMatchObject({
      code: 'engine.unsupported',
      message: expect.stringMatching(message),
    });
    expect(flows.lines(`other-${name}`)).toEqual(['a']);
  },
);
