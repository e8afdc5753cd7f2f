import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { Approval, Decider } from '../../contracts/approvals.js';
import type { AuditFacts, AuditKind } from '../../contracts/audit.js';
import type { Person } from '../../contracts/callers.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { PlanOperation } from '../../contracts/plan.js';
import type { RunSinks } from '../../contracts/run-sinks.js';
import type { TaskStart } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { callerOf } from '../../rules/tasks/persons.js';
import { readGiven, userOf } from '../../rules/tasks/task-arguments.js';
import { attempt } from '../../text/attempt.js';
import { isStepFailure, stepStatusOf } from '../steps/step-failure.js';
import type { TaskIdentity } from '../task/identity.js';

const { runs } = proxySinks<RunSinks>();

type Facts = Omit<AuditFacts, 'kind'>;
type Call = { operation: PlanOperation; path: string; input: object };

/**
 * Reports what happens to a task, if its plan says so. The worker writes it before it completes the workflow task, so nothing
 * follows from what is not in the log. Adds no event to the history. A repeated workflow task reports the same.
 */
export class TaskAudit {
  private count = 0;

  constructor(private readonly task: TaskIdentity) {}

  note(kind: AuditKind, facts: Facts): void {
    if (!this.task.plan.audit) return;
    this.count += 1;
    report({ kind, ability: this.task.plan.ability.id, ...facts }, String(this.count), true);
  }

  /** In the first run of a task, and in the one that follows a change of its input. */
  begun({ seal, user, options: { retry }, hooks = [], changed, carried, child }: TaskStart): void {
    const change = carried ? undefined : changed?.changes.at(-1);
    const of = { plan: seal.plan, input: child ? undefined : seal.input, caller: callerOf({ seal, child }) };
    if (workflowInfo().continuedFromExecutionRunId === undefined) {
      const about = retry && `${retry.reconcile ? 'reconciles' : 'retries'} ${retry.task}`;
      this.note('created', { ...of, ...personOf(user), about });
      for (const result of ['stands', 'undone'] as const) {
        for (const path of retry?.[result] ?? []) this.note('stated', { path, result, ...personOf(user) });
      }
    } else if (change) this.note('changed', { ...of, ...personOf(change.by), result: change.fields.join(' ') });
    else return;
    this.guards(hooks);
  }

  guards(answers: readonly HookAnswer[]): void {
    for (const { hook_id: about, phase, path, decision: result, status } of answers) {
      const code = status === 'error' ? 'hook.failed' : undefined;
      if (phase.startsWith('Pre')) this.note('guard', { path, result, about, code });
    }
  }

  decided(kind: AuditKind, { id: about, path, what }: Approval, facts: Facts): void {
    if (!this.task.plan.audit) return;
    this.note(kind, { ability: what.ability, path, about, input: digestOf(what.input), ...facts });
  }

  /** The end of a call that was begun; its outcome may be unknown. @param error a StepFailure, or a cancellation; undefined: none. */
  called({ operation, path, input: given }: Call, error?: unknown): void {
    if (!this.task.plan.audit) return;
    const { key: ability, effects, implementation } = operation;
    const code = isStepFailure(error) ? error.problem.code : undefined;
    const result = code ? stepStatusOf(code) : error ? 'cancelled' : 'succeeded';
    this.note('effect', { ability, path, about: implementation.id, effects, input: digestOf(given), result, code });
  }
}

/** The end of a task, or that it was refused. @param args as they were sent, in any form. @param start undefined: it was not formed. */
export function auditEnd(result: string, code: string | undefined, args: readonly unknown[], start?: TaskStart): void {
  const facts = { result, code, ability: workflowInfo().workflowType, plan: start?.seal.plan };
  if (start?.plan.audit) report({ kind: 'ended', ...facts }, 'ended', true);
  if (start) return;
  const { input, options = {} } = attempt(() => readGiven(args)) ?? {};
  const kind = result === 'unavailable' || result === 'expired' ? 'refused' : 'ended';
  const asked = { ...personOf(userOf(options)), caller: options.caller, input: input && digestOf(input) };
  report({ kind, ...facts, ...asked }, 'ended');
}

/** @param number of the event in its run. @param isPlanned left out: the worker knows whether its project is audited. */
export function report(facts: AuditFacts, number: string = facts.kind, isPlanned = false): void {
  const { workflowId: task, runId } = workflowInfo();
  runs.audited({ task, ...facts, event: `${runId}/${number}`, time: new Date().toISOString() }, isPlanned);
}

export function personOf(person: Person | Decider | 'unnamed'): Pick<AuditFacts, 'by' | 'proof' | 'agent' | 'subject'> {
  if (person === 'unnamed') return {};
  const { name: by, source: proof, agent, issuer, subject } = person as Person & Decider;
  return { by, proof, agent, subject: subject && [issuer, subject].filter(Boolean).join(' ') };
}
