import type { Json } from '../../contracts/json.js';
import type { ApprovalStep, CallStep, Plan, PlanStep } from '../../contracts/plan.js';
import { memoize } from '../../text/memoize.js';
import { compileExpression, type Expression } from '../expressions/evaluate.js';
import { expressionsIn } from '../expressions/template.js';
import { allSteps, listSteps, nameOfStep, type StepOfKind, type StepTree } from './step-tree.js';

type Tree = StepTree & { output?: Json };

/** Ids of steps whose outputs must be kept; undefined if an expression reads `steps` as a whole. */
export const stepsRead = memoize((tree: Tree): ReadonlySet<string> | undefined => {
  const handlers = tree.on_error ?? [];
  return idsReadBy([
    ...expressionsIn(tree.output),
    ...handlers.flatMap(({ output }) => expressionsIn(output)),
    ...allSteps(tree).flatMap(({ step }) => expressionsOf(step)),
  ]);
});

/** Undefined if an expression reads `steps` as a whole. */
function idsReadBy(expressions: readonly Expression[]): Set<string> | undefined {
  const read = new Set<string>();
  for (const { references } of expressions) {
    for (const { name, path } of references) {
      if (name !== 'steps') continue;
      const [id] = path;
      if (id === undefined) return undefined;
      read.add(id);
    }
  }
  return read;
}

export const readsItself = memoize((step: PlanStep): boolean => idsReadBy(expressionsOf(step))?.has(step.id) ?? true);

/** Ids of steps inside a loop that the loop or an inner step reads: their values may pass from turn to turn. */
export const readInTurns = memoize((loop: StepOfKind<'loop'>): readonly string[] => {
  const inner = listSteps(loop.steps).map(({ step }) => step);
  const read = idsReadBy([loop, ...inner].flatMap((step) => expressionsOf(step)));
  return inner.map(({ id }) => id).filter((id) => read === undefined || read.has(id));
});

function expressionsOf(step: PlanStep): Expression[] {
  const [bare, templates] = ownExpressions(step);
  const handlers = (step.on_error ?? []).map(({ output }) => output);
  return [
    ...[step.if, ...bare].flatMap((source) => (source === undefined ? [] : [compileExpression(source)])),
    ...[step.timeout, ...handlers, ...templates].flatMap((one) => expressionsIn(one)),
  ];
}

type Own = [bare: (string | undefined)[], templates: (Json | undefined)[]];

function ownExpressions(step: PlanStep): Own {
  switch (step.verb) {
    case 'call':
      return [[], [step.with, step.undo?.with, step.retry?.first, step.retry?.max]];
    case 'approval':
      return [[], [step.approval.title, step.approval.expires]];
    case 'parallel':
      return [[], [step.max_parallel]];
    case 'race':
      return [[], []];
    case 'foreach': {
      const templates = [step.max_parallel, step.label];
      return 'list' in step.foreach ? [[], [step.foreach.list, ...templates]] : [[step.foreach.expression], templates];
    }
    case 'switch':
      return [step.cases.map((item) => item.if), []];
    case 'repeat':
      return [[step.repeat.until], [step.repeat.every, step.repeat.max]];
    case 'wait':
      if ('for' in step.wait) return [[], [step.wait.for]];
      return 'until' in step.wait ? [[step.wait.until], []] : [[step.wait.if], [step.wait.timeout]];
    case 'steps':
      return [[], [step.retry?.first, step.retry?.max, step.template?.output]];
    case 'let':
      return [[], [step.let]];
    case 'fail':
      return [[], [step.fail.message, step.fail.details]];
    case 'end':
      return [[], [step.end.output]];
  }
}

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
