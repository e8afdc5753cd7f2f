import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cancelTask, viewTask } from '../../src/client/index.js';
import type { TaskResult } from '../../src/contracts/task.js';
import { LONG } from '../fixtures/extent.js';
import { type Flows, startFlows, statuses } from '../fixtures/flows.js';
import { operation, workflow } from '../fixtures/project-folder.js';

let flows: Flows;

beforeAll(async () => {
  flows = await startFlows({
    // Reports that it has begun, then takes its time.
    ...operation(
      'util.wipe',
      'appendFileSync(input.file, input.name + "\\n"); await sleep(input.ms); return { done: input.name };',
      {
        effects: 'destructive',
      },
    ),
    ...operation(
      'util.begun',
      'return { lines: existsSync(input.file) ? readFileSync(input.file, "utf8").trim().split("\\n").length : 0 };',
    ),
  });
});
afterAll(() => flows.project.stop());

const wipe = (name: string, ms: number) =>
  `call: util.wipe, with: { file: "\${{ input.file }}", name: ${name}, ms: ${ms} }`;
/** Continues once the parallel calls have begun. */
const begun = (id: string, count: number) =>
  `{ id: ${id}, repeat: { until: "steps.${id}_seen.output.lines >= ${count}", every: 200ms }, steps: [{ id: ${id}_seen, call: util.begun, with: { file: "\${{ input.file }}" } }] }`;

const run = (name: string, yaml: string): Promise<TaskResult> => flows.run(yaml, { file: flows.file(name) });

const ended = async (id: string): Promise<TaskResult> => {
  const end = await flows.project.wait(id);
  if (end.kind !== 'ended') throw new Error(end.kind);
  return end.result;
};
const untilBegun = (name: string) => expect.poll(() => flows.lines(name).length, { timeout: 20_000 }).toBe(1);
const causeOf = ({ error }: TaskResult) => (error?.details as { cause?: unknown } | undefined)?.cause;

describe('an interrupted call that must not be interrupted makes the task unknown, with the first cause', () => {
  test('in a race of two destructive calls: the winner has its outcome, the loser none', async () => {
    const result = await run(
      'two',
      `steps: [{ id: r, race: { a: { ${wipe('a', 1500)} }, b: { ${wipe('b', 60_000)} } } }]\noutput: "\${{ steps.r.output.winner }}"`,
    );
    expect(result).toMatchObject({ status: 'unknown', output: null, error: { code: 'outcome.unknown', step: 'b' } });
    expect(result.error?.message).toMatch(/it was cut by race\.lost: The branch a won the race r/);
    expect(causeOf(result)).toEqual({
      code: 'race.lost',
      message: 'The branch a won the race r',
      step: 'r',
      path: 'r',
    });
    expect(statuses(result)).toMatchObject({ 'r/a': 'succeeded', 'r/b': 'unknown', r: 'unknown' });
    expect(flows.lines('two').sort()).toEqual(['a', 'b']);
  });

  test('in parallel with a failure that cancels', async () => {
    const bad = `{ steps: [${begun('n', 1)}, { id: f, call: util.fail, with: {} }] }`;
    const result = await run(
      'beside',
      `steps: [{ id: p, on_failure: cancel, parallel: { lost: { ${wipe('a', 60_000)} }, bad: ${bad} } }]`,
    );
    expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'lost' } });
    expect(causeOf(result)).toMatchObject({ code: 'script.exit', step: 'f', path: 'p/bad/f' });
  });

  test('by its own time-out, that of a group, and that of a called workflow', LONG, async () => {
    const own = await run('own', `steps: [{ id: a, ${wipe('a', 60_000)}, timeout: 2s }]`);
    expect(own).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'a' } });
    expect(causeOf(own)).toMatchObject({ code: 'timeout.step' });
    // The cause equals the error, so it is reported once.
    expect(own.error?.message.match(/took longer than/g)).toHaveLength(1);
    expect(own.error?.message).toMatch(/; it was cut by timeout\.step$/);
    const group = await run('group', `steps: [{ id: g, timeout: 2s, steps: [{ id: a, ${wipe('a', 60_000)} }] }]`);
    expect(group).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'a' } });
    expect(causeOf(group)).toMatchObject({ code: 'timeout.step', step: 'g' });
    flows.project.write(workflow('child_wipe', `steps: [{ id: a, ${wipe('a', 60_000)} }]`));
    const child = await run(
      'child',
      'steps: [{ id: c, timeout: 4s, call: child_wipe, with: { file: "${{ input.file }}" } }]',
    );
    expect(child).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'a' } });
    expect(causeOf(child)).toMatchObject({ code: 'timeout.step', step: 'c' });
    expect(child.error?.message).not.toContain('task.cancelled');
  });

  test('in a workflow called by a race', LONG, async () => {
    const result = await run(
      'raced',
      `steps: [{ id: r, race: { child: { call: child_wipe, with: { file: "\${{ input.file }}" } }, quick: { steps: [${begun('n', 1)}] } } }]`,
    );
    expect(result).toMatchObject({ status: 'unknown', error: { step: 'a', details: { task: expect.any(String) } } });
    expect(causeOf(result)).toMatchObject({ code: 'race.lost', step: 'r' });
  });

  test('by a person, and by the time-out of the task', LONG, async () => {
    const { id } = await flows.project.create(flows.define(`steps: [{ id: a, ${wipe('a', 60_000)} }]`), {
      file: flows.file('person'),
    });
    await untilBegun('person');
    await cancelTask(flows.project.connection, id);
    const result = await ended(id);
    expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown' } });
    expect(causeOf(result)).toEqual({ code: 'task.cancelled', message: 'The task was cancelled' });
    const late = await run('late', `timeout: 2s\nsteps: [{ id: a, ${wipe('a', 60_000)} }]`);
    expect(late).toMatchObject({ status: 'unknown' });
    expect(causeOf(late)).toMatchObject({ code: 'timeout.task' });
  });

  test('in a cleanup', async () => {
    const result = await run(
      'clean',
      `steps: [{ id: ok, let: {} }]\nfinally: [{ id: a, ${wipe('a', 60_000)}, timeout: 2s }]`,
    );
    expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'a' } });
  });
});

describe('nothing is lost by the interruption', () => {
  test('of a call that had not begun, or had ended', LONG, async () => {
    const result = await run(
      'before',
      `
steps:
  - id: r
    race:
      later: { steps: [{ id: pause, wait: 60s }, { id: never, ${wipe('never', 0)} }] }
      done: { steps: [{ id: made, ${wipe('made', 0)} }, { id: rest, wait: 60s }] }
      quick: { steps: [${begun('n', 1)}, { id: more, wait: 3s }] }
output: "\${{ steps.r.output.winner }}"`,
    );
    expect(result).toMatchObject({ status: 'succeeded', output: 'quick', warnings: [] });
    expect(statuses(result)).toMatchObject({ 'r/done/made': 'succeeded' });
    expect(flows.lines('before')).toEqual(['made']);
  });

  test('of one whose author wrote `cut: allowed`: the branch counts as cancelled', LONG, async () => {
    const race = await run(
      'allowed',
      `steps: [{ id: r, race: { a: { ${wipe('a', 60_000)}, cut: allowed }, quick: { steps: [${begun('n', 1)}] } } }]\noutput: "\${{ steps.r.output.winner }}"`,
    );
    expect(race).toMatchObject({ status: 'succeeded', output: 'quick' });
    expect(statuses(race)).toMatchObject({ 'r/a': 'cancelled' });
    const caught = await run(
      'caught',
      `steps: [{ id: a, ${wipe('a', 60_000)}, timeout: 2s, cut: allowed, on_error: [{ errors: [timeout], output: late }] }]\noutput: "\${{ steps.a.output }}"`,
    );
    expect(caught).toMatchObject({ status: 'succeeded', output: 'late' });
    const { id } = await flows.project.create(flows.define(`steps: [{ id: a, ${wipe('a', 60_000)}, cut: allowed }]`), {
      file: flows.file('mine'),
    });
    await untilBegun('mine');
    await cancelTask(flows.project.connection, id);
    expect(await ended(id)).toMatchObject({ status: 'cancelled', error: null });
    const late = await run('allowed-late', `timeout: 2s\nsteps: [{ id: a, ${wipe('a', 60_000)}, cut: allowed }]`);
    expect(late).toMatchObject({ status: 'timed_out', error: { code: 'timeout.task' } });
    const beside = await run(
      'allowed-beside',
      `steps: [{ id: p, on_failure: cancel, parallel: { a: { ${wipe('a', 60_000)}, cut: allowed }, bad: { steps: [${begun('n', 1)}, { id: f, call: util.fail, with: {} }] } } }]`,
    );
    expect(beside).toMatchObject({ status: 'failed', error: { code: 'script.exit', step: 'f' } });
  });
});

test('watchers see the cause in the record of the step as well', async () => {
  const { id } = await flows.project.create(
    flows.define(`steps: [{ id: r, race: { a: { ${wipe('a', 60_000)} }, quick: { wait: 3s } } }]`),
    { file: flows.file('seen') },
  );
  await ended(id);
  const { result } = await viewTask(flows.project.connection, id);
  expect(result.steps.find(({ path }) => path === 'r/a')?.error?.message).toMatch(/it was cut by race\.lost/);
});
