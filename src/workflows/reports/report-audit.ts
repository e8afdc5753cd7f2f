import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { Approval, Decider } from '../../contracts/approvals.js';
import type { AuditedPerson, AuditFacts } from '../../contracts/audit.js';
import type { Person } from '../../contracts/callers.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { PlanOperation } from '../../contracts/plan.js';
import type { RunSinks } from '../../contracts/run-sinks.js';
import type { TaskStart } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { callerOf } from '../../rules/tasks/caller-of.js';
import { readGiven, userOf } from '../../rules/tasks/task-arguments.js';
import { attempt } from '../../text/attempt.js';
import { defined } from '../../text/defined.js';
import type { TaskIdentity } from '../task/identity.js';

const { runs } = proxySinks<RunSinks>();

/**
 * Reports what the plan of a task says that it is audited. The worker writes it before it completes the workflow task, so
 * nothing follows from what is not in the log. Adds no event. A workflow task that is repeated reports the same events.
 */
export class TaskAudit {
  private count = 0;

  constructor(private readonly task: TaskIdentity) {}

  note(facts: AuditFacts): void {
    if (!this.task.plan.audit) return;
    this.count += 1;
    send({ ability: this.task.plan.ability.id, ...facts }, String(this.count), true);
  }

  /** In the first run of a task, and in the one that follows a change of its input. */
  begun({ seal, user, options, hooks = [], changed, carried, child }: TaskStart): void {
    const change = carried ? undefined : changed?.changes.at(-1);
    const isFirst = workflowInfo().continuedFromExecutionRunId === undefined;
    if (!isFirst && !change) return;
    const { retry } = options;
    this.note({
      kind: isFirst ? 'created' : 'changed',
      ...personOf(change ? change.by : user),
      ...(change && { result: change.fields.join(' ') }),
      ...(retry && isFirst && { about: `${retry.reconcile ? 'reconciles' : 'retries'} ${retry.task}` }),
      ...(!child && { input: seal.input }),
      plan: seal.plan,
      ...defined({ caller: callerOf({ seal, child }) }),
    });
    for (const result of isFirst ? (['stands', 'undone'] as const) : []) {
      for (const path of retry?.[result] ?? []) this.note({ kind: 'stated', path, result, ...personOf(user) });
    }
    this.guards(hooks);
  }

  guards(answers: readonly HookAnswer[]): void {
    for (const { hook_id: about, phase, path, decision: result, status } of answers) {
      if (phase !== 'PreAbilityCreate' && phase !== 'PreAbilityCall') continue;
      this.note({ kind: 'guard', path, result, about, ...(status === 'error' && { code: 'hook.failed' }) });
    }
  }

  /** Also who has decided nothing, for what the time or a grant has decided. */
  decision({ id: about, path, what }: Approval, facts: Partial<AuditFacts>): void {
    if (this.task.plan.audit)
      this.note({ kind: 'decision', ability: what.ability, path, about, input: digestOf(what.input), ...facts });
  }

  /** The end of a call that was begun; its outcome may be unknown. */
  effect(
    { key, effects, implementation }: PlanOperation,
    path: string,
    input: object,
    facts: Partial<AuditFacts>,
  ): void {
    if (!this.task.plan.audit) return;
    this.note({
      kind: 'effect',
      ability: key,
      path,
      about: implementation.id,
      effects,
      input: digestOf(input),
      ...facts,
    });
  }
}

/** What belongs to no plan: the worker knows whether its project is audited. @param number of the event in its run. */
export function auditUnplanned(facts: AuditFacts, number: string = facts.kind): void {
  send(facts, number, false);
}

/** The end of a task, or that it was refused. @param args as they were sent, in any form. */
export function auditEnd(result: string, code: string | undefined, args: readonly unknown[], start?: TaskStart): void {
  const ended: AuditFacts = { kind: 'ended', result, ...defined({ code }) };
  const ability = workflowInfo().workflowType;
  if (start) {
    if (start.plan.audit) send({ ...ended, ability, plan: start.seal.plan }, ended.kind, true);
    return;
  }
  const isRefused = result === 'unavailable' || result === 'expired';
  const given = attempt(() => readGiven(args));
  const { caller } = given?.options ?? {};
  send(
    {
      ...ended,
      ability,
      kind: isRefused ? 'refused' : 'ended',
      ...(given && { ...personOf(userOf(given.options)), input: digestOf(given.input), ...defined({ caller }) }),
    },
    ended.kind,
    false,
  );
}

function send(facts: AuditFacts, number: string, isPlanned: boolean): void {
  const { workflowId: task, runId } = workflowInfo();
  runs.audited({ task, ...facts, event: `${runId}/${number}`, time: new Date().toISOString() }, isPlanned);
}

export function personOf(person: Person | Decider | 'unnamed'): AuditedPerson {
  if (person === 'unnamed') return {};
  const { name: by, source: proof } = person;
  const { agent } = person as Person;
  const { issuer, subject: id } = person as Decider;
  const subject = id === undefined ? undefined : [issuer, id].filter(Boolean).join(' ');
  return { by, proof, ...defined({ agent, subject }) };
}
