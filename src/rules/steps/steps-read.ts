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

const ownReaders = new WeakMap<PlanStep, boolean>();

export function readsItself(step: PlanStep): boolean {
  let reads = ownReaders.get(step);
  if (reads === undefined) {
    reads = idsReadBy(expressionsOf(step))?.has(step.id) ?? true;
    ownReaders.set(step, reads);
  }
  return reads;
}

const readInLoops = new WeakMap<PlanStep, readonly string[]>();

/** Ids of steps inside a loop that the loop or an inner step reads: their values may pass from turn to turn. */
export function readInTurns(loop: StepOfKind<'loop'>): readonly string[] {
  let ids = readInLoops.get(loop);
  if (!ids) {
    const inner = listSteps(loop.steps).map(({ step }) => step);
    const read = idsReadBy([loop, ...inner].flatMap((step) => expressionsOf(step)));
    ids = inner.map(({ id }) => id).filter((id) => read === undefined || read.has(id));
    readInLoops.set(loop, ids);
  }
  return ids;
}

function expressionsOf(step: PlanStep): Expression[] {
  const { bare, templates } = ownExpressions(step);
  const handlers = (step.on_error ?? []).map(({ output }) => output);
  return [
    ...[step.if, ...bare].flatMap((source) => (source === undefined ? [] : [compileExpression(source)])),
    ...[step.timeout, ...handlers, ...templates].flatMap((one) => expressionsIn(one)),
  ];
}

function ownExpressions(step: PlanStep): { bare: (string | undefined)[]; templates: (Json | undefined)[] } {
  switch (step.verb) {
    case 'call':
      return {
        bare: [],
        templates: [step.with, step.undo?.with, step.retry?.first, step.retry?.max],
      };
    case 'approval':
      return { bare: [], templates: [step.approval.title, step.approval.expires] };
    case 'parallel':
      return { bare: [], templates: [step.max_parallel] };
    case 'race':
      return { bare: [], templates: [] };
    case 'foreach':
      return 'list' in step.foreach
        ? { bare: [], templates: [step.foreach.list, step.max_parallel, step.label] }
        : { bare: [step.foreach.expression], templates: [step.max_parallel, step.label] };
    case 'switch':
      return { bare: step.cases.map((item) => item.if), templates: [] };
    case 'repeat':
      return { bare: [step.repeat.until], templates: [step.repeat.every, step.repeat.max] };
    case 'wait':
      if ('for' in step.wait) return { bare: [], templates: [step.wait.for] };
      if ('until' in step.wait) return { bare: [step.wait.until], templates: [] };
      return { bare: [step.wait.if], templates: [step.wait.timeout] };
    case 'steps':
      return {
        bare: [],
        templates: [step.retry?.first, step.retry?.max, step.template?.output],
      };
    case 'let':
      return { bare: [], templates: [step.let] };
    case 'fail':
      return { bare: [], templates: [step.fail.message, step.fail.details] };
    case 'end':
      return { bare: [], templates: [step.end.output] };
  }
}
