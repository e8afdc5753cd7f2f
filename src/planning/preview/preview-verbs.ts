import type { ApprovalStep, ForeachStep, PlanStep } from '../../contracts/plan.js';
import type { ApprovalPreview, StepPreview } from '../../contracts/preview.js';
import { type Known, previewExpression, previewText } from './partial-evaluation.js';
import { decidersOf } from './preview-hooks.js';
import type { PreviewScope } from './preview-scope.js';

/** The target of a step in a few words: the called ability, the title of an approval, the awaited event. */
export function whatOf(step: PlanStep, known: Known): string {
  switch (step.verb) {
    case 'call':
      return step.call;
    case 'approval':
      return previewText(step.approval.title, known);
    case 'wait': {
      const { wait } = step;
      if ('for' in wait) return previewText(wait.for, known);
      if ('until' in wait) return `until ${wait.until}`;
      const limit = wait.timeout === undefined ? '' : `, for at most ${previewText(wait.timeout, known)}`;
      return `the signal ${wait.signal}${wait.if === undefined ? '' : ` with ${wait.if}`}${limit}`;
    }
    case 'fail':
      return step.fail.code;
    case 'foreach':
      return 'expression' in step.foreach ? step.foreach.expression : '';
    case 'repeat': {
      const { until, every, max } = step.repeat;
      return `until ${until}, every ${previewText(every, known)}, at most ${typeof max === 'number' ? max : previewText(max, known)} times`;
    }
    case 'parallel':
    case 'race':
      return `${step.branches.length} branches`;
    case 'steps':
      return step.template ? `of the template ${step.template.name}` : '';
    case 'switch':
    case 'let':
    case 'end':
      return '';
  }
}

export function stepApproval({ approval }: ApprovalStep, { plan, known }: PreviewScope): ApprovalPreview {
  const { title, approvers, quorum, expires, comment, fields = {} } = approval;
  const deciders = decidersOf(plan.environment);
  return {
    ...deciders,
    ...(approvers && { approvers: approvers.listed, people: approvers.people }),
    ...(quorum !== undefined && { quorum }),
    title: previewText(title, known),
    asked: 'yes',
    reasons: [],
    expires: previewText(expires, known),
    comment,
    fields,
  };
}

export function foreachOf({ foreach, max_parallel }: ForeachStep, known: Known): StepPreview['foreach'] {
  const atOnce = typeof max_parallel === 'number' ? max_parallel : previewText(max_parallel, known);
  if ('list' in foreach) return { items: foreach.list.length, depends_on: [], problem: null, max_parallel: atOnce };
  const { value, depends_on, problem } = previewExpression(foreach.expression, known);
  const isList = Array.isArray(value);
  const message = `\`${foreach.expression}\` gives ${JSON.stringify(value).slice(0, 100)}, which is no list`;
  const notList = problem || depends_on.length > 0 || isList ? problem : { code: 'expression.not_list', message };
  return { items: isList ? value.length : null, depends_on, problem: notList, max_parallel: atOnce };
}
