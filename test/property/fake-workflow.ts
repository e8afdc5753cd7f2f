/**
 * What the interpreter needs of `@temporalio/workflow`, without a server: a virtual clock, activities that answer
 * from a script, and the SDK's own cancellation scopes and failures.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { TypedSearchAttributes } from '@temporalio/common';
import { toFailure } from '../../src/activities/failures.js';
import type { CallRequest } from '../../src/contracts/activities.js';
import type { Approval } from '../../src/contracts/approvals.js';
import { ACTIVITIES, QUERIES, SIGNALS } from '../../src/contracts/names.js';
import type { CallStep, Plan } from '../../src/contracts/plan.js';
import { AbilityError } from '../../src/contracts/problem.js';
import { findStep } from '../../src/rules/steps/step-tree.js';
import type { Effect, Script } from './script.js';

/** Where the SDK looks for what its sandbox provides; reloaded modules find the same world there. */
const SANDBOX = globalThis as {
  AsyncLocalStorage?: unknown;
  __TEMPORAL_ACTIVATOR__?: { rootScope: object; hasFlag: () => boolean; sinkCalls: object[]; world: World };
};
SANDBOX.AsyncLocalStorage = AsyncLocalStorage;

// `require` bypasses the mock that this module is for.
const load = createRequire(import.meta.url);
const real = load('@temporalio/workflow') as typeof import('@temporalio/workflow');
const { CancellationScope, RootCancellationScope, registerSleepImplementation } = load(
  '@temporalio/workflow/lib/cancellation-scope.js',
) as typeof import('@temporalio/workflow/lib/cancellation-scope.js');

/** The moment at which every task of a property test starts. */
export const START = Date.UTC(2030, 0, 1);

interface Timer {
  at: number;
  order: number;
  fire: () => void;
}

interface RetryPolicy {
  maximumAttempts: number;
  initialInterval: number;
  backoffCoefficient: number;
  maximumInterval: number;
}

/** Runs one workflow at a time, since the SDK also knows only the current one. */
export class World {
  now = 0;
  readonly effects: Effect[] = [];
  root = new RootCancellationScope();
  /** The number of runs that the task has started, and of calls that the current run has made. */
  runs = 0;
  calls = 0;
  readonly handlers = new Map<string, (...args: unknown[]) => unknown>();
  readonly conditions = new Set<{ holds: () => boolean; resolve: () => void }>();
  private timers: Timer[] = [];
  private order = 0;
  private readonly attempts = new Map<string, number>();
  private readonly seen = new Set<Approval>();
  /** How often each call was made, whatever its number of attempts. */
  readonly made = new Map<string, number>();
  /** Activities that answer otherwise than from the script, by type. */
  readonly answers = new Map<string, (request: unknown) => Promise<unknown>>();
  /** What `workflowInfo` says beyond the usual. */
  info: object = {};
  /** Search attributes and memo that the workflow has set, in order. */
  readonly shown: object[] = [];
  /** Signals that come before a handler of them is there. */
  readonly signals: { name: string; payload?: unknown }[] = [];
  /** The number of updates that are not answered yet. */
  updates = 0;

  /** @param setClock sets the time of `Date`, in milliseconds since 1970. */
  constructor(
    private readonly plan: Plan | undefined,
    private readonly script: Script | undefined,
    private readonly setClock: (ms: number) => void,
    /** Number of calls after which the server requests a new run. */
    readonly callsOfRun = Number.POSITIVE_INFINITY,
  ) {}

  /** Runs a workflow to its end. @throws what it throws; an error when it waits forever. */
  async run<T>(workflow: () => Promise<T>): Promise<T> {
    this.runs += 1;
    this.calls = 0;
    this.timers = [];
    this.conditions.clear();
    this.root = new RootCancellationScope();
    SANDBOX.__TEMPORAL_ACTIVATOR__ = { rootScope: this.root, hasFlag: () => true, sinkCalls: [], world: this };
    this.setClock(START + this.now);
    const cancelAt = this.script?.cancelAt;
    if (cancelAt !== undefined) this.after(Math.max(0, cancelAt - this.now), () => this.root.cancel());
    let end: { value: T } | { error: unknown } | undefined;
    workflow().then(
      (value) => (end = { value }),
      (error) => (end = { error }),
    );
    for (;;) {
      await settle();
      while (this.unblock()) await settle();
      if (end) break;
      this.decideApprovals();
      const next = this.timers.reduce<Timer | undefined>(
        (first, timer) =>
          !first || timer.at < first.at || (timer.at === first.at && timer.order < first.order) ? timer : first,
        undefined,
      );
      if (!next) throw new Error('The workflow waits for something that never comes');
      this.timers = this.timers.filter((timer) => timer !== next);
      this.now = next.at;
      this.setClock(START + this.now);
      next.fire();
    }
    if ('error' in end) throw end.error;
    return end.value;
  }

  /** Sends an update to the workflow. */
  async update(name: string, ...args: unknown[]): Promise<unknown> {
    this.updates += 1;
    try {
      return await this.handlers.get(name)?.(...args);
    } finally {
      this.updates -= 1;
    }
  }

  /** @returns a function that cancels the timer. */
  after(ms: number, fire: () => void): () => void {
    this.order += 1;
    const timer = { at: this.now + ms, order: this.order, fire };
    this.timers.push(timer);
    return () => {
      this.timers = this.timers.filter((other) => other !== timer);
    };
  }

  /** Executes a call as server and worker do, attempt by attempt. */
  execute(call: string, request: CallRequest, policy: RetryPolicy, end: Settle<unknown>): () => void {
    const { plan, script } = this;
    if (!plan || !script) throw new Error('This world has no script');
    const { path } = request;
    this.calls += 1;
    this.made.set(path, (this.made.get(path) ?? 0) + 1);
    const { errors } = (findStep(plan, path) as CallStep | undefined)?.retry ?? {};
    let takeBack = (): void => {};
    const start = (attempt: number): void => {
      const nth = this.attempts.get(path) ?? 0;
      this.attempts.set(path, nth + 1);
      this.effects.push({ at: this.now, path, call, with: request.with });
      const outcome = script.attempt(path, nth);
      takeBack = this.after(outcome.ms, () => {
        if ('output' in outcome) return end.resolve({ output: outcome.output, attempt });
        const attemptsLeft = policy.maximumAttempts - attempt;
        const effects = plan.operations[call]?.effects ?? 'read';
        const error = new AbilityError({ code: outcome.code, message: outcome.code });
        const failure = toFailure(error, {
          effects,
          errors,
          attempt,
          attemptsLeft,
          unclearBefore: false,
          arrivedBefore: false,
          hooks: [],
        });
        if ((failure as { nonRetryable?: boolean }).nonRetryable || attemptsLeft <= 0) {
          return end.reject(new real.ActivityFailure('failed', call, path, 'NON_RETRYABLE_FAILURE', 'fake', failure));
        }
        const pause = policy.initialInterval * policy.backoffCoefficient ** (attempt - 1);
        takeBack = this.after(Math.min(pause, policy.maximumInterval), () => start(attempt + 1));
      });
    };
    start(1);
    return () => {
      takeBack();
      end.reject(
        new real.ActivityFailure(
          'cancelled',
          call,
          path,
          'NON_RETRYABLE_FAILURE',
          'fake',
          new real.CancelledFailure('cancelled'),
        ),
      );
    };
  }

  /** Like the SDK after every activation: conditions that hold are resolved, one at a time. */
  private unblock(): boolean {
    for (const condition of this.conditions) {
      if (!condition.holds()) continue;
      this.conditions.delete(condition);
      condition.resolve();
      return true;
    }
    return false;
  }

  private decideApprovals(): void {
    const view = this.handlers.get(QUERIES.task)?.() as { approvals: Approval[] } | undefined;
    for (const approval of view?.approvals ?? []) {
      if (approval.status !== 'open' || this.seen.has(approval)) continue;
      this.seen.add(approval);
      const verdict = this.script?.verdict(approval.path) ?? { ms: 1, says: 'nothing' };
      if (verdict.says === 'nothing') continue;
      this.after(verdict.ms, () => {
        const decision = { id: `of ${approval.path}`, approval_id: approval.id, by: 'ada' };
        const signal = verdict.says === 'deny' ? SIGNALS.deny : SIGNALS.approve;
        if (approval.status === 'open') this.handlers.get(signal)?.(decision);
      });
    }
  }
}

interface Settle<T> {
  resolve: (value: T) => void;
  reject: (error: unknown) => void;
}

function world(): World {
  const { world: current } = SANDBOX.__TEMPORAL_ACTIVATOR__ ?? {};
  if (!current) throw new Error('No workflow is running');
  return current;
}

/** Work that ends when its scope is cancelled. @param begin starts it. @returns what cancels it. */
function cancellable<T>(begin: (end: Settle<T>) => (error: unknown) => void): Promise<T> {
  const scope = CancellationScope.current();
  return new Promise<T>((resolve, reject) => {
    if (scope.consideredCancelled) {
      scope.cancelRequested.catch(reject);
      return;
    }
    const cancel = begin({ resolve, reject });
    if (scope.cancellable) scope.cancelRequested.catch(cancel);
  });
}

function sleep(ms: number): Promise<void> {
  return cancellable<void>(({ resolve, reject }) => {
    const takeBack = world().after(Math.max(1, ms), () => resolve());
    return (error) => {
      takeBack();
      reject(error);
    };
  });
}
registerSleepImplementation(sleep as Parameters<typeof registerSleepImplementation>[0]);

function whenever(holds: () => boolean): Promise<void> {
  return cancellable<void>(({ resolve, reject }) => {
    const condition = { holds, resolve: () => resolve() };
    if (holds()) resolve();
    else world().conditions.add(condition);
    return (error) => {
      world().conditions.delete(condition);
      reject(error);
    };
  });
}

async function condition(holds: () => boolean, ms?: number): Promise<boolean | undefined> {
  if (ms === undefined) {
    await whenever(holds);
    return undefined;
  }
  return CancellationScope.cancellable(async () => {
    try {
      return await Promise.race([sleep(ms).then(() => false), whenever(holds).then(() => true)]);
    } finally {
      CancellationScope.current().cancel();
    }
  });
}

function activities(options: { retry?: RetryPolicy }): Record<string, (request: CallRequest) => Promise<unknown>> {
  return new Proxy(
    {},
    {
      get: (_, name: string) => (request: CallRequest & { result?: unknown }) => {
        const answer = world().answers.get(name);
        if (answer) return answer(request);
        if (name === ACTIVITIES.finish) return Promise.resolve({ result: request.result });
        if (!options.retry) throw new Error(`${name} is called without a policy for its attempts`);
        return cancellable((end) => world().execute(name, request, options.retry as RetryPolicy, end));
      },
    },
  );
}

/** Waits until all microtasks are done. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Replaces `@temporalio/workflow`. */
export const fakeWorkflow = {
  ...real,
  sleep,
  condition,
  proxyActivities: activities,
  proxyLocalActivities: activities,
  proxySinks: () => ({
    runs: { begun: () => {}, ended: () => {}, told: () => {}, logged: () => {}, audited: () => {} },
  }),
  workflowInfo: () => ({
    workflowId: 'task',
    workflowType: 'signup',
    firstExecutionRunId: 'first',
    taskQueue: 'acme-staging-local',
    typedSearchAttributes: new TypedSearchAttributes(),
    startTime: new Date(START),
    ...(world().runs > 1 && { continuedFromExecutionRunId: 'earlier' }),
    continueAsNewSuggested: world().calls >= world().callsOfRun,
    ...world().info,
  }),
  continueAsNew: (...args: unknown[]) => {
    throw new real.ContinueAsNew({ args } as never);
  },
  makeContinueAsNewFunc:
    (options: object = {}) =>
    (...args: unknown[]) => {
      throw new real.ContinueAsNew({ args, ...options } as never);
    },
  uuid4: () => '00000000-0000-4000-8000-000000000000',
  setHandler: ({ name }: { name: string }, handler: (...args: unknown[]) => unknown) =>
    world().handlers.set(name, handler),
  setDefaultSignalHandler: (handler: (name: string, payload: unknown) => void) => {
    for (const { name, payload } of world().signals.splice(0)) {
      const own = world().handlers.get(name);
      if (own) own(payload);
      else handler(name, payload);
    }
  },
  allHandlersFinished: () => world().updates === 0,
  upsertSearchAttributes: (pairs: { key: { name: string }; value: unknown }[]) =>
    world().shown.push(Object.fromEntries(pairs.map(({ key, value }) => [key.name, value]))),
  upsertMemo: (memo: object) => world().shown.push({ memo }),
  setCurrentDetails: () => {},
};
