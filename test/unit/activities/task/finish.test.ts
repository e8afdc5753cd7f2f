import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BoundedMap } from '../../../../src/activities/bounded-map.js';
import { RecordFolder } from '../../../../src/activities/record/record-folder.js';
import { createFinish } from '../../../../src/activities/task/finish.js';
import type { FinishAnswer } from '../../../../src/contracts/activities.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { TaskReport } from '../../../../src/contracts/run-sinks.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { TaskResult } from '../../../../src/contracts/task.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';
import { temporaryFolder } from '../../temporary-project.js';
import { type ActivityInfo, admittedTask, USER } from '../admitted-task.js';
import { keepingTracer } from '../traced.js';

type Dependencies = Parameters<typeof createFinish>[0];

const RESULT: TaskResult = {
  ...{ status: 'succeeded', task_key: 't-1', ability_id: 'signup', version: 1, digest: 'd', environment: 'staging' },
  ...{ output: { id: 1 }, error: null, warnings: [], steps: [], approvals: [], hooks: [], requested_by: USER },
  ...{ started_at: '2030-01-01T00:00:00.000Z', finished_at: '2030-01-01T00:00:01.000Z', cleanup_ran: null },
  links: { temporal: 'here', page: null, record: null },
};
const step = (call: string) => {
  return { id: 'a', path: 'a', call, status: 'succeeded', attempts: 1, duration_ms: 1 } as const;
};

interface Finishing {
  result?: Partial<TaskResult>;
  plan?: Partial<Plan>;
  /** Overrides of the plan's ability. */
  ability?: Partial<Plan['ability']>;
  input?: JsonObject;
  more?: Partial<Dependencies>;
  report?: TaskReport;
  seal?: Partial<Seal>;
  info?: ActivityInfo;
}

/** Ends a task. @returns the answer, the remaining reports, and its records. */
async function finished({ result, plan, ability, input = {}, more, report, seal, info }: Finishing = {}) {
  const example = examplePlan([{ id: 'a', verb: 'call', call: 'db.write', with: {} }]);
  const whole: Plan = { ...example, ...plan, ability: { ...example.ability, ...ability } };
  const { plans, mark, environment } = admittedTask(whole, input, seal);
  const reports: Dependencies['reports'] = new BoundedMap(10);
  if (report) reports.set('r-1', report);
  const records = new RecordFolder(join(temporaryFolder(), 'records'));
  const dependencies: Dependencies = {
    ...{ host: 'here', plans, records, reports, shrink: async (given) => given },
    secrets: (name) => secretsHere('/nowhere', name, {}),
    ...more,
  };
  const request = { seal: mark, result: { ...RESULT, ...result }, input };
  const answer: FinishAnswer = await environment(info).run(createFinish(dependencies), request);
  const changes = 'changes' in answer ? (answer.changes ?? {}) : {};
  return { answer, changes, reports, records, mark };
}

describe('the end of a task', () => {
  test('answers with no changes if there are none', async () => {
    expect((await finished()).answer).toEqual({});
  });

  test('writes its record, with the output and the time of its creation', async () => {
    const report: TaskReport = { created_at: '2029-01-01T00:00:00.000Z' };
    const { records, reports } = await finished({ report, input: { n: 2 } });
    expect(records.read('t-1')).toMatchObject({
      host: 'here',
      input: { n: 2 },
      created_at: report.created_at,
      result: { output: { id: 1 }, links: { temporal: 'here', record: records.pathOf('t-1') } },
    });
    expect(reports.size).toBe(0);
  });

  test('of a run without records writes none', async () => {
    const records = { pathOf: () => undefined } as never;
    expect((await finished({ more: { records } })).answer).toEqual({});
  });

  test('gives a cancelled task its whole result, since Temporal stores none of it', async () => {
    const { answer } = await finished({ result: { status: 'cancelled', output: null } });
    expect(answer).toMatchObject({ result: { status: 'cancelled', steps: [] } });
  });

  test('moves large values to the store', async () => {
    const shrink: Dependencies['shrink'] = async (given) => ({ ...given, output: { $ref: 'x' } });
    expect((await finished({ more: { shrink } })).answer).toEqual({ changes: { output: { $ref: 'x' } } });
  });

  test('warns once of calls that the ability may not make', async () => {
    const result = { steps: [step('other'), step('other')], warnings: ['w', 'w'] };
    const { changes } = await finished({ result });
    expect(changes.warnings).toEqual(['w', expect.stringContaining('other')]);
  });

  test('warns if its record cannot be written, but fails on an internal error', async () => {
    const failing = (error: Error) => {
      const fail = () => Promise.reject(error);
      return { pathOf: () => '/records', read: () => undefined, toolsOfCalled: () => [], finish: fail } as never;
    };
    const full = new AbilityError({ code: 'record.write_failed', message: 'the disk is full' });
    const { changes } = await finished({ more: { records: failing(full) }, result: { warnings: ['w'] } });
    expect(changes).toEqual({ warnings: ['w', 'record.write_failed: the disk is full'] });
    const broken = finished({ more: { records: failing(new TypeError('broken')) } });
    await expect(broken).rejects.toMatchObject({ type: 'internal.error' });
  });

  test('is accepted for a sealed task only', async () => {
    const { environment } = admittedTask(examplePlan());
    const { plans } = admittedTask(examplePlan());
    const other = environment().run(createFinish({ plans } as Dependencies), {
      seal: 'other',
      result: RESULT,
      input: {},
    });
    await expect(other).rejects.toMatchObject({ type: 'seal.invalid' });
  });
});

describe('the output of a task', () => {
  const schema = { output_schema: { type: 'object', properties: { n: { type: 'integer', default: 1 } } } };
  const limits = (output_bytes: number) => ({ limits: { ...examplePlan().limits, output_bytes } });

  test('gets the defaults of its schema', async () => {
    expect((await finished({ ability: schema })).changes).toEqual({ output: { id: 1, n: 1 } });
  });

  test('that its schema does not allow fails the task, and is in the details', async () => {
    const { changes } = await finished({ ability: schema, result: { output: { n: 'one' } } });
    expect(changes).toMatchObject({
      status: 'failed',
      output: null,
      error: { code: 'output.invalid', details: { output: { n: 'one' } } },
    });
  });

  test.each<[string, Finishing]>([
    [
      'of an operation, which its call has checked',
      { ability: { ...schema, kind: 'operation' }, result: { output: { n: 'one' } } },
    ],
    ['of a task that failed', { ability: schema, result: { status: 'failed', output: { n: 'one' } } }],
    ['without a schema', { result: { output: { n: 'one' } } }],
  ])('is not checked %s', async (_, how) => {
    expect((await finished(how)).answer).toEqual({});
  });

  test.each<[unknown, number, string | undefined]>([
    ['ab', 4, undefined],
    ['ab', 3, 'output.too_large'],
    ['é', 3, 'output.too_large'],
    [undefined, 4, undefined],
  ])('%j within a limit of %i bytes: %s', async (output, bytes, code) => {
    const { changes } = await finished({ result: { output: output as never }, plan: limits(bytes) });
    expect(changes.error?.code).toBe(code);
    expect(changes.error?.details).toBeUndefined();
  });

  test('is measured for an operation, too', async () => {
    const { changes } = await finished({ ability: { kind: 'operation' }, plan: limits(3) });
    expect(changes.error?.code).toBe('output.too_large');
  });
});

describe('the span of a task', () => {
  const spanOf = async (how: Finishing = {}) => {
    const tracer = keepingTracer();
    await finished({ ...how, more: { ...how.more, tracer } });
    expect(tracer.spans).toHaveLength(1);
    return tracer.spans[0];
  };

  test('has its result, and begins its own trace', async () => {
    const span = await spanOf({ ability: { output_schema: { type: 'string' } } });
    expect(span).toMatchObject({ name: 'invoke_workflow signup', error: 'output.invalid', parent: undefined });
  });

  test('begins with its creation if it did no work', async () => {
    const report = { created_at: '2029-01-01T00:00:00.000Z' };
    expect((await spanOf({ report, result: { started_at: null } }))?.from).toBe(Date.parse(report.created_at));
  });
});
