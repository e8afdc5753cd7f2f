import type { Json } from '../../contracts/json.js';
import type { PlanStep } from '../../contracts/plan.js';
import { memoize } from '../../text/memoize.js';
import { compileExpression, type Expression } from '../expressions/evaluate.js';
import { expressionsIn } from '../expressions/template.js';
import { allSteps, type StepTree } from './find-step.js';
import { listSteps } from './inner-steps.js';
import type { StepOfKind } from './step-kinds.js';

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
