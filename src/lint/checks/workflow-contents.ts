import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { isRepeated, listsInside, listsOfWorkflow } from '../../definitions/step-lists.js';
import { findingOf } from '../../planning/finding-of.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { memoize } from '../../text/memoize.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import {
  chainOf,
  type ExpressionSite,
  endsTask,
  loopsAround,
  type StepNode,
  stepEndsTask,
} from '../types/expression-sites.js';
import { pathsIn, type StepRead, stepReadsIn } from '../types/read-expression.js';
import { cutSafely } from '../types/template-type.js';
import { WorkflowTypes } from '../types/workflow-types.js';
import { contractDiagnostics } from './calls.js';
import { expressionDiagnostics, type PlacedDiagnostic } from './expressions.js';

/** Checks expressions, inputs and outputs of workflows against the schemas, and the order of their steps. */
export function* checkWorkflowContents({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* ofFile(workflow.file, () =>
      diagnosticsOf(registry, workflow).map((diagnostic) => placedFinding(workflow, diagnostic)),
    );
  }
}

export function diagnosticsOf(registry: Registry, workflow: Loaded<HighLevel>): PlacedDiagnostic[] {
  const types = new WorkflowTypes(registry, workflow);
  return [
    ...expressionDiagnostics(types),
    ...contractDiagnostics(types, registry),
    ...orderDiagnostics(types),
    ...unreachableSteps(types),
  ];
}

export function placedFinding(from: Loaded<unknown>, { code, message, fix, path, part }: PlacedDiagnostic): Finding {
  return findingOf(code, message, from.locate(path, part), fix);
}

/** Finds expressions that read steps which have not run by then, or may not have. */
function* orderDiagnostics(types: WorkflowTypes): Generator<PlacedDiagnostic> {
  for (const site of types.sites) {
    for (const { source, path } of sourcesIn(site)) {
      const reads = stepReadsIn(source);
      const reported = new Set<string>();
      for (const read of reads) {
        const target = types.step(read.id);
        if (!target || reported.has(read.id)) continue;
        const diagnostic = diagnosticOf(site, source, read, reads, orderOf(site, target), target);
        if (!diagnostic) continue;
        reported.add(read.id);
        yield { ...diagnostic, path };
      }
    }
  }
}

function* sourcesIn({ belongs, value, path }: ExpressionSite): Generator<{ source: string; path: PropertyKey[] }> {
  const isBare = belongs === 'condition' || belongs === 'moment' || belongs === 'list';
  if (isBare && typeof value === 'string') yield { source: value, path };
  else {
    for (const text of textsIn(value, path)) {
      for (const part of cutSafely(text.value)) {
        if (typeof part !== 'string') yield { source: part.source, path: text.path };
      }
    }
  }
}

type Found = Omit<PlacedDiagnostic, 'path'> | undefined;

function diagnosticOf(
  site: ExpressionSite,
  source: string,
  read: StepRead,
  reads: StepRead[],
  order: Order,
  target: StepNode,
): Found {
  const { id, isDeep, part } = read;
  switch (order.when) {
    case 'before':
      return undefined;
    case 'within':
      if (part === 'status' || part === 'error' || !isDeep) return undefined;
      return { code: 'lint.step_not_run', message: `\`${id}\` is still at work here, and its output is null` };
    case 'never': {
      const message = `\`${id}\` cannot have run when this is evaluated`;
      return { code: isDeep ? 'lint.step_not_run' : 'lint.step_pending', message };
    }
    case 'at_once':
      if (waitsForOthers(site)) return undefined;
      return { code: 'lint.step_at_once', message: `\`${id}\` runs at the same time, in another branch` };
    case 'apart': {
      const { max_parallel: max } = order.loop.definition as { max_parallel?: number | string };
      const many = typeof max === 'number' ? `${max} at once` : `as many at once as \`${max}\` gives`;
      const message = `\`${id}\` reads its own last turn, and \`${order.loop.id}\` runs ${many}`;
      return { code: 'lint.own_turn_at_once', message };
    }
    case 'perhaps': {
      if (order.index !== undefined && countsTurns(site, source, order.index)) return undefined;
      if (!isDeep || isGuarded(site, read, reads, order, target)) return undefined;
      return { code: 'lint.step_may_not_run', message: `\`${id}\` ${order.why}, and its output is null then` };
    }
  }
}

/** A branch that waits for a condition or a signal may wait for the other one. */
function waitsForOthers({ node }: ExpressionSite): boolean {
  return chainOf(node).some(({ part, definition }) => part === 'branch' && /"(until|signal)":/.test(json(definition)));
}

const json = memoize((value: object) => JSON.stringify(value));

/** Whether the expression or a condition around it tests the step, or what decides whether it runs. */
function isGuarded(
  { conditions }: ExpressionSite,
  { id }: StepRead,
  reads: StepRead[],
  order: Extract<Order, { when: 'perhaps' }>,
  target: StepNode,
): boolean {
  if (reads.some((other) => other.id === id && !other.isDeep)) return true;
  const decisive = new Set(order.conditions.flatMap((source) => decisivePaths(source)));
  const around = new Set(chainOf(target).map((node) => `steps.${node.id}`));
  return conditions.some(({ source }) => {
    const paths = [...pathsIn(source)];
    return paths.some(
      (path) => decisive.has(path) || around.has(path) || path === 'task.status' || path === 'task.error',
    );
  });
}

/** Whether the expression or its conditions consider the first turn: they read the turn's index. */
function countsTurns({ conditions }: ExpressionSite, source: string, index: string): boolean {
  return [source, ...conditions.map((condition) => condition.source)].some((one) => pathsIn(one).has(index));
}

/** The paths that a condition reads; bare names are left out, since many conditions share them. */
function decisivePaths(source: string): string[] {
  return [...pathsIn(source)].filter((path) => path.split('.').length > 1);
}

/** Finds the first step of each list after a step that always ends the task. */
function* unreachableSteps({ workflow, nodes }: WorkflowTypes): Generator<PlacedDiagnostic> {
  const inside = nodes.flatMap(({ definition, path }) =>
    listsInside(definition).map((list) => ({ ...list, path: [...path, ...list.path] })),
  );
  for (const { part, path, steps } of [...listsOfWorkflow(workflow.value), ...inside]) {
    // All steps of a clean-up run, even after a failure, and so do all branches.
    if (part === 'finally' || part === 'branch') continue;
    const end = steps.findIndex(endsAlways);
    const [ending, next] = [steps[end], steps[end + 1]];
    if (!ending || !next) continue;
    const message = `\`${next.id}\` comes after \`${ending.id}\`, which always ends the task`;
    yield { code: 'lint.unreachable_step', message, path: [...path, end + 1, 'id'] };
  }
}

function endsAlways(step: StepDefinition): boolean {
  return step.if === undefined && stepEndsTask(step);
}

export type Order =
  /** It has run, or was never going to. */
  | { when: 'before' }
  | { when: 'never' }
  /** It is still running: its output is null, its status and error are set. */
  | { when: 'within' }
  | { when: 'at_once' }
  /** It would read its own previous turn, but the items of the loop run concurrently. */
  | { when: 'apart'; loop: StepNode }
  /** It may have run. `conditions` decide unless a failure did; `index`: the loop's counter of turns. */
  | { when: 'perhaps'; why: string; conditions: string[]; index?: string };

function orderOf(site: ExpressionSite, target: StepNode): Order {
  const around = chainOf(site.node);
  const chain = chainOf(target);
  let common = 0;
  while (common < around.length && around[common] === chain[common]) common += 1;
  if (common === chain.length) return orderOfOuter(site, target, around[common]);
  const never = turnBefore(around.slice(0, common), around[common]);
  const [own, other] = [around[common], chain[common] as StepNode];
  const below = chain.slice(common);
  if (!own) return orderOfInner(site, other, below, never);
  if (own.part === other.part && own.number === other.number) {
    if (own.part === 'branch') return { when: 'at_once' };
    return other.index < own.index ? perhaps(below) : never;
  }
  return across(own.part, other.part, below, never);
}

/**
 * What the previous turn, or attempt of a group, left: nothing in the first one or if items run concurrently.
 * @param common the steps around both. @param next the one inside them around the expression, if any.
 */
function turnBefore(common: StepNode[], next: StepNode | undefined): Order {
  const inside = next ? [...common, next] : common;
  for (const [index, { definition }] of [...common.entries()].reverse()) {
    const next = inside[index + 1];
    if (next && isRepeated(next)) return hasTurns(definition) ? firstTurn(definition) : { when: 'never' };
    if (next?.part === 'steps' && 'retry' in definition && definition.retry) {
      return { ...FAILED, why: 'has not run in the first attempt' };
    }
  }
  return { when: 'never' };
}

/** Whether a loop certainly takes its turns one after the other. False if only the run knows `max_parallel`. */
function hasTurns(definition: StepDefinition): boolean {
  return !('max_parallel' in definition) || (definition.max_parallel ?? 1) === 1;
}

function firstTurn(definition: StepDefinition): Extract<Order, { when: 'perhaps' }> {
  const index = 'index' in definition ? definition.index : undefined;
  return { ...FAILED, why: 'has not run in the first turn', ...(index !== undefined && { index }) };
}

function orderOfOuter({ phase }: ExpressionSite, target: StepNode, next: StepNode | undefined): Order {
  const loop = loopsAround(target).at(-1);
  // Steps inside it see it running.
  if (next) return loop || next.part === 'handler' || next.part === 'finally' ? { when: 'within' } : { when: 'never' };
  if (phase === 'undo') return { when: 'before' };
  if (loop && hasTurns(loop.definition)) return firstTurn(loop.definition);
  if (phase === 'handler') return { when: 'within' };
  return loop ? { when: 'apart', loop } : { when: 'never' };
}

function orderOfInner({ phase, number }: ExpressionSite, other: StepNode, below: StepNode[], never: Order): Order {
  const isMain = other.part !== 'handler' && other.part !== 'finally';
  if (phase === 'turn') return isMain ? perhaps(below) : never;
  if (phase === 'end') return isMain ? perhaps(below) : { when: 'never' };
  if (phase !== 'handler') return never;
  if (isMain) return FAILED;
  return other.part === 'handler' && other.number === number ? perhaps(below) : never;
}

const FAILED: Extract<Order, { when: 'perhaps' }> = {
  when: 'perhaps',
  why: 'has not run where something failed before it',
  conditions: [],
};

function across(own: StepNode['part'], other: StepNode['part'], below: StepNode[], never: Order): Order {
  if (own === 'handler' && other !== 'finally' && other !== 'handler') return FAILED;
  if (own === 'finally') return { ...FAILED, conditions: conditionsOf(below) };
  return never;
}

/** The order of an earlier step: it has run, was skipped with a parent, or has failed. */
function perhaps(below: StepNode[]): Order {
  for (const [index, node] of below.entries()) {
    const why = whyNot(node, index > 0, index === below.length - 1);
    if (why !== undefined) return { when: 'perhaps', why, conditions: conditionsOf(below) };
  }
  return { when: 'before' };
}

function whyNot({ definition, part, parent }: StepNode, isInside: boolean, isTarget: boolean): string | undefined {
  if (definition.if !== undefined) return `is skipped where \`${definition.if}\` does not hold`;
  if (isInside && part === 'case') return 'only runs where its case of the `switch` is chosen';
  if (isInside && part === 'handler') return 'only runs after a failure';
  if (isInside && part === 'branch' && parent?.definition.verb === 'race') return 'may lose the `race`';
  if (definition.continue_on_error) return 'may have failed, and `continue_on_error` goes on';
  return isCaught(definition, isTarget) ? 'may have failed, and `on_error` goes on' : undefined;
}

/** Whether the task goes on with a null output after the step failed. */
function isCaught({ on_error: handlers = [] }: StepDefinition, isTarget: boolean): boolean {
  return handlers.some(({ steps = [], output, rethrow }) => {
    return !rethrow && !(isTarget && output !== undefined) && !endsTask(steps);
  });
}

function conditionsOf(below: StepNode[]): string[] {
  return below.flatMap(({ definition, part, parent, number }) => {
    const item = part === 'case' && parent?.definition.verb === 'switch' ? parent.definition.switch : [];
    const cases = item.slice(0, number + 1).flatMap((one) => ('else' in one ? [] : [one.if]));
    return definition.if === undefined ? cases : [definition.if, ...cases];
  });
}
