import { expect, test, vi } from 'vitest';
import { createEnter } from '../../../../src/activities/preflight/preflight.js';
import type { EnterAnswer } from '../../../../src/contracts/activities.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { TaskRecord } from '../../../../src/contracts/record.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask } from '../admitted-task.js';

const plan = examplePlan();
const input_schema = { type: 'object', properties: { n: { type: 'integer', default: 1 } } };
const PLAN = { ...plan, ability: { ...plan.ability, input_schema } };

/** Enters a called task. @param replace writes its record. @param path of the record, null if it has none. */
function entered(
  input: JsonObject,
  replace: (record: TaskRecord) => void = () => {},
  path: string | null = '/records/t-1',
): Promise<EnterAnswer> {
  const { plans, mark, environment } = admittedTask(PLAN);
  const records = { pathOf: () => path ?? undefined, replace } as never;
  return environment().run(createEnter({ host: 'here', plans, records }), { seal: mark, input });
}

test('a called task gets its input with defaults, and a record', async () => {
  const replace = vi.fn();
  expect(await entered({}, replace)).toEqual({ input: { n: 1 }, warnings: [] });
  expect(replace.mock.calls).toMatchObject([[{ task_key: 't-1', input: { n: 1 }, host: 'here', result: null }]]);
});

test('an input that its schema does not allow is refused', async () => {
  await expect(entered({ n: 'one' })).rejects.toMatchObject({ type: 'input.invalid' });
});

test('the called task of a run without records has no record', async () => {
  const replace = vi.fn();
  await entered({}, replace, null);
  expect(replace).not.toHaveBeenCalled();
});

test('a record that cannot be written is a warning', async () => {
  const full = () => {
    throw new AbilityError({ code: 'record.write_failed', message: 'the disk is full' });
  };
  expect((await entered({}, full)).warnings).toEqual(['record.write_failed: the disk is full']);
});

test('an internal error while it is written is not a warning', async () => {
  const broken = () => {
    throw new TypeError('broken');
  };
  await expect(entered({}, broken)).rejects.toMatchObject({ type: 'internal.error' });
});
