import type { Json } from '../../contracts/json.js';
import type { ApprovalStep } from '../../contracts/plan.js';
import { awaitApproval } from '../approvals/await-approval.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateDuration, evaluateText } from './evaluate.js';
import type { Frame } from './frame.js';

/** Waits for people. @returns who decided, with their comment. Source: docs/approvals.md; docs/workflow-language.md#calls. */
export async function runApproval(run: TaskRun, step: ApprovalStep, path: string, frame: Frame): Promise<Json> {
  const { plan, input } = run;
  const { title, approvers, quorum, expires, comment, fields } = step.approval;
  run.note(path, step.id, { status: 'waiting' });
  const approval = await awaitApproval(
    run,
    {
      path,
      step: step.id,
      title: evaluateText(run, title, frame),
      what: {
        ability: plan.ability.id,
        implementation: null,
        environment: plan.environment.name,
        effects: plan.ability.effects,
        input,
      },
      reasons: [`The step ${step.id} of ${plan.ability.id} asks.`],
      approvers: approvers ?? plan.environment.approvers,
      quorum: quorum ?? plan.environment.quorum,
      expiresMs: frame.budget.capWait(evaluateDuration(run, expires, frame)),
      comment,
      ...(fields && { fields }),
    },
    frame.halt,
  );
  const last = approval.decisions.at(-1);
  const by = last === undefined || last.by === 'unnamed' ? 'unnamed' : last.by.name;
  const filled = Object.assign({}, ...approval.decisions.map((decision) => decision.fields));
  return { decision: 'approve', by, comment: last?.comment ?? null, fields: filled };
}
