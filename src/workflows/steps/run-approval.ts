import type { Json } from '../../contracts/json.js';
import type { ApprovalStep } from '../../contracts/plan.js';
import { awaitApproval } from '../approvals/await-approval.js';
import { evaluateDuration, evaluateText } from './evaluate.js';
import type { Frame } from './frame.js';

/**
 * Waits for people. @returns who decided, with their comment. Source: docs/approvals.md;
 * docs/workflow-language.md#calls.
 */
export async function runApproval(step: ApprovalStep, path: string, frame: Frame): Promise<Json> {
  const { run } = frame;
  const { ability, environment } = run.task.plan;
  const { title, approvers, quorum, expires, comment, fields } = step.approval;
  run.steps.note(path, step.id, { status: 'waiting' });
  const approval = await awaitApproval(
    run,
    {
      path,
      step: step.id,
      title: evaluateText(title, frame),
      what: {
        ability: ability.id,
        implementation: null,
        environment: environment.name,
        effects: ability.effects,
        input: run.input.value,
      },
      reasons: [`The step ${step.id} of ${ability.id} asks.`],
      approvers: approvers ?? environment.approvers,
      quorum: quorum ?? environment.quorum,
      expiresMs: frame.budget.capWait(evaluateDuration(expires, frame)),
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
