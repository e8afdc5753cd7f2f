import { vi } from 'vitest';
import { createCall } from '../../../../src/activities/call/call.js';
import type { EffectMarks } from '../../../../src/activities/call/effect-mark.js';
import type { RequestedCall } from '../../../../src/activities/call/execute.js';
import type { CallAnswer, CallRequest } from '../../../../src/contracts/activities.js';
import { TIMEOUT_MARGIN_MS } from '../../../../src/contracts/names.js';
import type { Plan, PlanOperation, PlanStep } from '../../../../src/contracts/plan.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { EndedSpan } from '../../../../src/tracing/open-tracer.js';
import { MemoryFiles } from '../../../fixtures/memory-files.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';
import { temporaryFolder } from '../../temporary-project.js';
import { type ActivityInfo, type activityEnvironment, admittedTask } from '../admitted-task.js';
import type { keepingTracer } from '../traced.js';

type Dependencies = Parameters<typeof createCall>[0];
type CallStep = Extract<PlanStep, { verb: 'call' }>;

const NOT_EXPECTED = (): Promise<never> => Promise.reject(new Error('this is not expected'));

/** An attempt of the call `first` of the operation `db.write`, as differences from a plain one. */
export interface OneAttempt {
  operation?: Partial<PlanOperation>;
  plan?: Partial<Plan>;
  retry?: CallStep['retry'];
  request?: Partial<CallRequest>;
  info?: ActivityInfo;
  seal?: Partial<Seal>;
  trace?: string;
  dependencies?: Partial<Dependencies>;
  /** Runs while the operation is executed. */
  during?: (environment: ReturnType<typeof activityEnvironment>) => void;
}

/** How an attempt ended, and its observable side effects. */
export interface Ended {
  answer: CallAnswer | undefined;
  /** The failure that Temporal receives; its type is the code. */
  failure: Failure | undefined;
  beats: unknown[];
  /** What the built-in hook `usage` recorded. */
  used: Record<string, unknown>[];
  mark: { made: Parameters<EffectMarks['make']>[]; removed: unknown[] };
  /** The folder of its logs. */
  logs: string;
  spans: EndedSpan[];
}

export interface Failure extends Error {
  type: string;
  nonRetryable: boolean;
  nextRetryDelay?: number;
  details: [{ code: string; message: string; details?: unknown }, Record<string, unknown>];
}

/** The plan with the operation `db.write`, which is called by the step `first`. */
export function planOfCall({ operation = {}, plan = {}, retry }: OneAttempt = {}): Plan {
  const step: CallStep = { id: 'first', verb: 'call', call: 'db.write', with: {}, ...(retry && { retry }) };
  const example = examplePlan([step]);
  const written = { ...(example.operations['db.write'] as PlanOperation), ...operation };
  return { ...example, operations: { 'db.write': written }, ...plan };
}

/** Makes one attempt. @param execute a stand-in for the script, the tool or the service. */
export async function attempt(
  execute: (call: RequestedCall, operation: PlanOperation) => unknown,
  how: OneAttempt = {},
): Promise<Ended> {
  const plan = planOfCall(how);
  const { plans, mark, environment } = admittedTask(plan, {}, how.seal, how.trace);
  const context = environment({
    activityType: 'db.write',
    activityId: '7',
    scheduledTimestampMs: Date.now(),
    scheduleToCloseTimeoutMs: 60_000 + TIMEOUT_MARGIN_MS,
    startToCloseTimeoutMs: 60_000 + TIMEOUT_MARGIN_MS,
    ...how.info,
  });
  const beats: unknown[] = [];
  context.on('heartbeat', (details) => beats.push(details));
  const used: Record<string, unknown>[] = [];
  const marks = { made: [] as Parameters<EffectMarks['make']>[], removed: [] as unknown[] };
  const logs = temporaryFolder();
  const dependencies: Dependencies = {
    plans,
    records: { logsOf: () => logs, sharedLog: () => undefined } as never,
    files: { store: new MemoryFiles(), folders: { open: async () => temporaryFolder() } },
    marks: {
      make: async (...about) => {
        marks.made.push(about);
        return 'made';
      },
      remove: async (call) => void marks.removed.push(call),
    },
    storeLarge: async () => {},
    execute: async (operation, call) => {
      how.during?.(context);
      return (await execute(call, operation)) as never;
    },
    answerScript: NOT_EXPECTED,
    answerAbility: NOT_EXPECTED,
    secrets: (name) => secretsHere('/nowhere', name, {}),
    recordUsage: (line) => used.push(line),
    ...how.dependencies,
  };
  const request: CallRequest = { seal: mark, path: 'first', with: {}, ...how.request };
  const ended = { answer: undefined, failure: undefined, beats, used, mark: marks, logs };
  const spans = (dependencies.tracer as ReturnType<typeof keepingTracer> | undefined)?.spans ?? [];
  try {
    const answer: CallAnswer = await context.run(createCall(dependencies), request);
    return { ...ended, answer, spans };
  } catch (error) {
    return { ...ended, failure: error as Failure, spans };
  }
}

/** The call with which the operation was executed. */
export async function seenCall(how: OneAttempt = {}): Promise<RequestedCall> {
  const execute = vi.fn(async (_: RequestedCall) => null);
  await attempt(execute, how);
  return execute.mock.calls[0]?.[0] as RequestedCall;
}

/** The implementation of the operation, with these parts replaced. */
export function withImplementation(parts: object): Partial<PlanOperation> {
  const script = { path: 's.mjs', digest: '0', interpreter: [], args: [], env: { pass: [], set: {}, secrets: {} } };
  const plain = { id: 'db.write', kind: 'script', tags: [], defaults: {}, overridable: [], prompts: {}, script };
  return { implementation: { ...plain, timeout_ms: 1000, ...parts } as unknown as PlanOperation['implementation'] };
}
