import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { RequestedCall } from '../../../../src/activities/call/execute.js';
import { createAnswerAbility } from '../../../../src/activities/hooks/ability-handler.js';
import { eventOf, type HookRun } from '../../../../src/activities/hooks/hook-context.js';
import type { PlanForeignHook } from '../../../../src/contracts/foreign-hooks.js';
import type { Json } from '../../../../src/contracts/json.js';
import type { PlanHandler } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { MemoryFiles } from '../../../fixtures/memory-files.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';
import { traced } from '../traced.js';
import { sessionRun, taskRun } from './example-run.js';

type Handler = Extract<PlanHandler, { kind: 'ability' }>;
const OPERATION = examplePlan().operations['db.write'] as Handler['operation'];
const ALLOW = { guard_decision: 'allow' };

/** Lets an ability answer a hook. @param work what it does. @returns the answer and the call that it received. */
async function callHandler(
  work: (call: RequestedCall) => Json | Promise<Json>,
  { handler = {}, run = taskRun() }: { handler?: Partial<Handler>; run?: HookRun } = {},
) {
  const calls: RequestedCall[] = [];
  const answer = createAnswerAbility({
    root: '/project',
    execute: async (_, call) => {
      calls.push(call);
      return work(call);
    },
    secrets: (environment) => secretsHere('/nowhere', environment, {}),
    files: { store: new MemoryFiles(), folders: { open: () => mkdtemp(join(tmpdir(), 'hook-files-')) } },
  });
  const whole: Handler = { kind: 'ability', operation: OPERATION, timeout_ms: 500, ...handler };
  const result = await answer('guard', whole, eventOf(run), run);
  return { result, call: calls[0] as RequestedCall, calls };
}

describe('an ability that answers a hook', () => {
  test('receives the event of the hook', async () => {
    const { result, call } = await callHandler(() => ALLOW);
    expect(result).toMatchObject({ hook_id: 'guard', phase: 'PreAbilityCall', path: 'a', decision: 'allow' });
    expect(call.input).toEqual(eventOf(taskRun()));
  });

  test('receives what `with` evaluates to', async () => {
    const { call } = await callHandler(() => ALLOW, { handler: { with: { sum: '${{ input.n + 1 }}' } } });
    expect(call.input).toEqual({ sum: 2 });
  });

  test('is called for the task, and leaves no mark of an effect', async () => {
    const { call } = await callHandler(() => ALLOW, { run: taskRun({ trace: '00-a-b-01' }) });
    await expect(call.begin()).resolves.toBeUndefined();
    expect(call).toMatchObject({
      taskKey: 't-1',
      ability: 'db.write',
      path: 'hooks/PreAbilityCall.db.write',
      idempotencyKey: 't-1/a/hooks/PreAbilityCall.db.write',
      trace: '00-a-b-01',
      timeoutMs: 500,
    });
  });

  test('is called with the trace of the hook, not with that of the task', async () => {
    const { given } = await traced(() => callHandler(() => ALLOW, { run: taskRun({ trace: '00-a-b-01' }) }));
    expect(given.call.trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });

  test('is called without a trace if there is none', async () => {
    expect((await callHandler(() => ALLOW)).call).not.toHaveProperty('trace');
  });

  test('has no task in a direct run', async () => {
    expect((await callHandler(() => ALLOW, { run: taskRun({ task: 'direct:1' }) })).call.taskKey).toBeNull();
  });

  test('is called for the session if its hook belongs to one', async () => {
    const { result, call } = await callHandler(() => ({}), { run: sessionRun() });
    expect(result).toMatchObject({ phase: 'PromptSubmit', decision: 'allow' });
    expect(call).toMatchObject({
      taskKey: 's-1',
      path: 'hooks/PromptSubmit.session',
      idempotencyKey: 's-1/hooks/PromptSubmit.session',
    });
  });

  test.each<[string, () => Json | Promise<Json>, string]>([
    ['that decides nothing', () => ({}), 'decides nothing'],
    ['with an unsafe key', () => JSON.parse('{"infra":{"__proto__":{}},"guard_decision":"allow"}'), '__proto__'],
    ['that fails', () => Promise.reject(new AbilityError({ code: 'mine', message: 'It broke' })), 'It broke (mine)'],
    ['that fails without a code', () => Promise.reject(new Error('It broke')), 'Error: It broke'],
  ])('%s counts as a failed hook', async (_, work, reason) => {
    const { result } = await callHandler(work);
    expect(result).toMatchObject({ status: 'error', decision: 'deny' });
    expect(result.reason).toContain(reason);
    expect(result.reason).not.toContain('undefined');
  });

  test('whose output does not match its schema counts as a failed hook', async () => {
    const operation = { ...OPERATION, output_schema: { type: 'object', required: ['guard_decision'] } };
    expect((await callHandler(() => ({}), { handler: { operation } })).result).toMatchObject({
      status: 'error',
      decision: 'deny',
    });
  });

  test('does not reveal its secrets', async () => {
    const { result } = await callHandler((call) => {
      call.log.hide('hunter2-hunter2');
      return { guard_decision: 'deny', reason: 'hunter2-hunter2 is wrong' };
    });
    expect(result.reason).toBe('*** is wrong');
    const { result: failed } = await callHandler((call) => {
      call.log.hide('hunter2-hunter2');
      throw new Error('hunter2-hunter2 is wrong');
    });
    expect(failed.reason).toBe('Error: *** is wrong');
  });

  test('that takes too long counts as a failed hook, even if it does not stop', async () => {
    const { result, call } = await callHandler(() => new Promise(() => {}), { handler: { timeout_ms: 5 } });
    expect(result).toMatchObject({ status: 'error', reason: 'it took longer than 5 ms' });
    expect(call.stop.aborted).toBe(true);
  });

  test('is soon abandoned if the call was already cancelled', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    const { result } = await callHandler(() => new Promise(() => {}), {
      run: taskRun({ signal }),
      handler: { timeout_ms: 60_000 },
    });
    expect(result).toMatchObject({ status: 'error', reason: 'Error: cancelled' });
  });

  test('is soon abandoned after the call is cancelled', async () => {
    const controller = new AbortController();
    const work = () => {
      controller.abort(new Error('now'));
      return new Promise<never>(() => {});
    };
    const { result } = await callHandler(work, {
      run: taskRun({ signal: controller.signal }),
      handler: { timeout_ms: 60_000 },
    });
    expect(result).toMatchObject({ reason: 'Error: now' });
  });

  test('leaves its log, but no timer and no files', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const folder = mkdtempSync(join(tmpdir(), 'hook-logs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    let made = '';
    const run = taskRun({ logs: { folder, share: () => undefined } });
    await callHandler(
      async (call) => {
        call.log.add('stderr', 'I looked.');
        made = await call.files.folder();
        return ALLOW;
      },
      { run },
    );
    expect(vi.getTimerCount()).toBe(0);
    expect(() => readFileSync(made)).toThrow('ENOENT');
    expect(readFileSync(join(folder, 'hooks/PreAbilityCall.guard.jsonl'), 'utf8')).toContain('I looked.');
  });
});

describe('an ability that speaks the protocol of another tool', () => {
  const shown = { tool_name: 'Bash', tool_input: { command: 'n=${{ input.n }}' } };
  const foreign: PlanForeignHook = { format: 'claude-code', silence: 'deny', shown };

  test('receives the event of that tool, and answers as its hooks do', async () => {
    const { result, call } = await callHandler(() => ({ decision: 'block', reason: 'no' }), { handler: { foreign } });
    expect(call.input).toMatchObject({
      hook_event_name: 'PreToolUse',
      session_id: 't-1',
      cwd: '/project',
      tool_name: 'Bash',
      tool_input: { command: 'n=1' },
    });
    expect(result).toMatchObject({ hook_id: 'guard', decision: 'deny', reason: 'no' });
  });

  test('receives what `with` evaluates to for that event', async () => {
    const handler = { foreign, with: { tool: '${{ tool_name }}' } };
    expect((await callHandler(() => null, { handler })).call.input).toEqual({ tool: 'Bash' });
  });

  test('is not called about a call that it is not shown', async () => {
    const handler = { foreign: { ...foreign, shown: { ...shown, if: 'tool_name == "Write"' } } };
    const { result, calls } = await callHandler(() => null, { handler });
    expect(result).toEqual({ hook_id: 'guard', phase: 'PreAbilityCall', path: 'a', status: 'ok', decision: 'allow' });
    expect(calls).toEqual([]);
  });
});
