import { describe, expect, test } from 'vitest';
import { traceHooks } from '../../../../src/activities/call/trace-call.js';
import { ATTRIBUTES as A } from '../../../../src/contracts/traces.js';
import { stepSpanId, taskSpanId } from '../../../../src/rules/traces/trace-ids.js';
import { currentSpan } from '../../../../src/tracing/current-span.js';
import { admittedTask } from '../admitted-task.js';
import { keepingTracer } from '../traced.js';
import { attempt, type OneAttempt, planOfCall, withImplementation } from './one-attempt.js';

/** The span of one attempt. */
async function spanOf(how: OneAttempt = {}, output: unknown = null, recordsContents = false) {
  const tracer = keepingTracer(recordsContents);
  const { spans } = await attempt(() => output, { ...how, dependencies: { ...how.dependencies, tracer } });
  expect(spans).toHaveLength(1);
  return spans[0] as NonNullable<(typeof spans)[0]>;
}

/** The mark of the seal of the task that `attempt` makes. */
const markOf = (how: OneAttempt = {}) => admittedTask(planOfCall(how), {}, how.seal).mark;

describe('the span of an attempt', () => {
  test('has the task, the step, and the number of the attempt', async () => {
    const { attributes } = await spanOf({ info: { attempt: 2 }, seal: { session: 's-1' } });
    expect(attributes).toMatchObject({
      [A.taskId]: 't-1',
      [A.stepPath]: 'first',
      [A.attempt]: 2,
      [A.conversation]: 's-1',
      [A.effects]: 'write_idempotent',
      [A.toolCall]: 't-1/first',
    });
  });

  test('has no session if the task has none', async () => {
    expect((await spanOf()).attributes[A.conversation]).toBeUndefined();
  });

  test('lies within the span of its step', async () => {
    expect((await spanOf()).parent).toBe(stepSpanId(markOf(), 't-1', 'first'));
    const again = await spanOf({ request: { groups: [1, 2] } });
    expect(again.parent).toBe(stepSpanId(markOf(), 't-1', 'first~1.2'));
  });

  const ALONE = { ability: { ...planOfCall().ability, kind: 'operation' } } as const;

  test('lies within the span of its task if the call is the whole task', async () => {
    const how: OneAttempt = { plan: ALONE, request: { path: 'run' } };
    expect((await spanOf(how)).parent).toBe(taskSpanId(markOf(how), 't-1'));
  });

  test.each<[string, OneAttempt]>([
    ['a step `run` of a workflow', { request: { path: 'run' } }],
    ['a hook of an operation', { plan: ALONE, request: { path: 'first' } }],
  ])('lies within the span of its step for %s', async (_, how) => {
    const path = how.request?.path as string;
    expect((await spanOf(how)).parent).toBe(stepSpanId(markOf(how), 't-1', path));
  });

  test('differs for each attempt, in the same trace', async () => {
    const [first, second] = [await spanOf(), await spanOf({ info: { attempt: 2 } })];
    expect(second.context.trace).toBe(first.context.trace);
    expect(second.context.span).not.toBe(first.context.span);
  });

  const server = (transport: string) => ({ mcp: { tool: 't', server: { name: 'files', transport } } });
  test.each<[string, object, object]>([
    ['script', {}, { isRequest: undefined, name: 'execute_tool db.write', type: 'function', transport: undefined }],
    ['mcp', server('stdio'), { isRequest: true, name: 'execute_tool db.write', type: 'extension', transport: 'pipe' }],
    ['mcp', server('http'), { isRequest: true, name: 'execute_tool db.write', type: 'extension', transport: 'tcp' }],
    ['api', { api: { method: 'GET' } }, { isRequest: true, type: 'extension', method: 'GET' }],
    ['model', { model: { name: 'm' } }, { isRequest: true, name: 'chat m', stream: true, provider: 'openai' }],
    ['model', { model: { name: 'm', script: {} } }, { isRequest: undefined, stream: undefined, provider: 'script' }],
  ])('has the attributes of its kind: %s %j', async (kind, parts, expected) => {
    const { name, isRequest, attributes } = await spanOf({ operation: withImplementation({ kind, ...parts }) });
    expect({
      name,
      isRequest,
      type: attributes[A.toolType],
      transport: attributes[A.transport],
      method: attributes[A.httpMethod],
      stream: attributes[A.requestStream],
      provider: attributes[A.provider],
    }).toMatchObject(expected);
  });

  test.each([
    [8190, 8192],
    [8191, 8193],
  ])('truncates contents: a text of %i characters is recorded with %i', async (given, kept) => {
    const { attributes } = await spanOf(
      { plan: { limits: { ...planOfCall().limits, output_bytes: 9000 } } },
      'x'.repeat(given),
      true,
    );
    expect(attributes[A.toolResult]).toHaveLength(kept);
  });

  test('has `null` for a call that returns nothing', async () => {
    expect((await spanOf({}, undefined, true)).attributes[A.toolResult]).toBe('null');
  });

  test('is missing if no traces are written', async () => {
    expect((await attempt(() => null)).spans).toEqual([]);
  });
});

describe('hooks that run as separate activities', () => {
  const around = async (path: string, tracer?: ReturnType<typeof keepingTracer>) => {
    const plan = planOfCall();
    const { plans, mark, environment } = admittedTask(plan);
    const { context } = environment();
    const admitted = await plans.admit(mark, context.info);
    const seen = await traceHooks(tracer, { task: 't-1', admitted, mark, path }, async () => currentSpan());
    return { seen, mark };
  };

  test('are part of the span of the task, or of the step around which they fire', async () => {
    const ofTask = await around('', keepingTracer());
    expect(ofTask.seen?.context.span).toBe(taskSpanId(ofTask.mark, 't-1'));
    const ofStep = await around('first', keepingTracer());
    expect(ofStep.seen?.context.span).toBe(stepSpanId(ofStep.mark, 't-1', 'first'));
  });

  test('run without a span if no traces are written', async () => {
    expect((await around('first')).seen).toBeUndefined();
  });
});
