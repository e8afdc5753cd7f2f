import type { StepDefinition } from '../../definitions/formats/steps.js';
import { isRepeated } from '../../definitions/step-lists.js';
import { chainOf, type ExpressionSite, endsTask, loopsAround, type StepNode } from './expression-sites.js';

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

export function orderOf(site: ExpressionSite, target: StepNode): Order {
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
