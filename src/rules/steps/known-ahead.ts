import type { Json } from '../../contracts/json.js';
import type { ApprovalStep, CallStep, Plan, PlanStep } from '../../contracts/plan.js';
import { compileExpression, type Expression } from '../expressions/evaluate.js';
import { expressionsIn } from '../expressions/template.js';
import { listSteps } from './inner-steps.js';
import { nameOfStep } from './turn-paths.js';

/** A step whose approval can be asked before the task runs. */
export interface KnownAhead {
  step: CallStep | ApprovalStep;
  path: string;
  /** Conditions that must hold, of it and of the groups around it. */
  conditions: string[];
}

type Asking = Pick<Plan, 'steps' | 'operations' | 'environment'>;

/**
 * The approvals that follow from the plan and the input alone: of steps that run in any case or under a condition over the
 * input, whose own texts read nothing else. What reads an output, a loop, a race, a `switch`, a called workflow, and all
 * after a step that may end the task are asked when the task comes to them. Source: docs/schedules.md#approved-before.
 */
export function knownAhead(plan: Asking, steps: readonly PlanStep[] = plan.steps, prefix = ''): KnownAhead[] {
  const found: KnownAhead[] = [];
  for (const step of steps) {
    const { if: condition } = step;
    if (condition === undefined || isKnown([compileExpression(condition)])) {
      const own = condition === undefined ? [] : [condition];
      const inside = knownOf(plan, step, prefix + nameOfStep(step.id));
      found.push(...inside.map((one) => ({ ...one, conditions: [...own, ...one.conditions] })));
    }
    if (listSteps([step]).some(({ step: { verb } }) => verb === 'end' || verb === 'fail')) break;
  }
  return found;
}

function knownOf(plan: Asking, step: PlanStep, path: string): KnownAhead[] {
  const { verb } = step;
  if (verb === 'steps') return step.retry ? [] : knownAhead(plan, step.steps, `${path}/`);
  if (verb === 'parallel') return step.branches.flatMap((branch) => knownAhead(plan, [branch], `${path}/`));
  if (verb !== 'call' && verb !== 'approval') return [];
  return (verb === 'call' ? isAsked(plan, step) : areKnown([step.approval.title]))
    ? [{ step, path, conditions: [] }]
    : [];
}

function isAsked({ operations, environment }: Asking, { id, call, with: template, undo }: CallStep): boolean {
  const { effects } = operations[call] ?? {};
  const asks = effects !== undefined && environment.approve.includes(effects);
  // Texts that read the answer of the call itself are shown as written.
  return asks && areKnown([template]) && areKnown([undo?.with], id);
}

function areKnown(templates: (Json | undefined)[], own?: string): boolean {
  return isKnown(
    templates.flatMap((template) => expressionsIn(template)),
    own,
  );
}

function isKnown(expressions: readonly Expression[], own?: string): boolean {
  return expressions.every(
    ({ references, functions }) =>
      !functions.some((name) => name === 'now' || name === 'uuid') &&
      references.every(
        ({ name, path: [id] }) =>
          name === 'input' || name === 'environment' || (name === 'steps' && own !== undefined && id === own),
      ),
  );
}
