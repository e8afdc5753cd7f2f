import { WorkflowFailedError } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CEL, ENGINE, taskQueueOf } from '../../src/contracts/names.js';
import type { Plan } from '../../src/contracts/plan.js';
import { packArguments } from '../../src/rules/tasks/task-arguments.js';
import { type Flows, startFlows } from '../fixtures/flows.js';
import { readStart } from '../fixtures/read-start.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows();
});
afterAll(() => flows.project.stop());

test.each<[string, Partial<Plan>, RegExp]>([
  ['engine', { engine: 99 }, /engine 99, this build has engine 1$/],
  ['CEL', { cel: 99 }, /CEL 99, this build has CEL 1$/],
])(
  'a task planned for another %s is refused with both versions named, and calls nothing',
  async (name, other, message) => {
    const { project } = flows;
    const ability = flows.define('steps: [{ id: a, call: util.note, with: { file: "${{ input.file }}", text: a } }]');
    const input = { file: flows.file(`other-${name}`) };
    const { id } = await project.create(ability, input);
    expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
    const start = await readStart(project.connection, id);
    expect(start.plan).toMatchObject({ engine: ENGINE, cel: CEL });
    const handle = await project.connection.temporal.workflow.start(ability, {
      workflowId: `${id}-${name}`,
      taskQueue: taskQueueOf(project.connection.project, 'dev', start.plan.placement),
      args: packArguments({ ...start, plan: { ...start.plan, ...other } }),
    });
    const error = await handle.result().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkflowFailedError);
    expect(error).toMatchObject({ cause: { type: 'engine.unsupported', message: expect.stringMatching(message) } });
    expect(flows.lines(`other-${name}`)).toEqual(['a']);
  },
);
