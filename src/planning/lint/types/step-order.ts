import type { BranchDefinition } from '../../../definitions/formats/steps.js';
import type { Spot } from './spots.js';
import { chainOf, endsTask, type StepNode } from './step-tree.js';

/** What has become of a step when an expression looks at it. */
export type Order =
  /** It has run, as far as it runs at all. */
  | { when: 'before' }
  /** It cannot have run. */
  | { when: 'never' }
  /** It is at work: what it gives is not known yet, its status and error are. */
  | { when: 'within' }
  /** It runs at the same time. */
  | { when: 'at_once' }
  /** It may have run; `conditions` decide, where it was not a failure. */
  | { when: 'perhaps'; why: string; conditions: string[] };

/** Tells what has become of a step when an expression is evaluated. */
export function orderOf(spot: Spot, target: StepNode): Order {
  const around = chainOf(spot.node);
  const chain = chainOf(target);
  let common = 0;
  while (common < around.length && around[common] === chain[common]) common += 1;
  const never: Order = isInLoop(around, common, target) ? { when: 'before' } : { when: 'never' };
  if (common === chain.length) return orderOfOuter(spot, around[common], never);
  const [own, other] = [around[common], chain[common] as StepNode];
  const below = chain.slice(common);
  if (!own) return orderOfInner(spot, other, below, never);
  if (own.part === other.part && own.number === other.number) {
    if (own.part === 'branch') return { when: 'at_once' };
    return other.index < own.index ? perhaps(below) : never;
  }
  return across(own.part, other.part, below, never);
}

/** A turn sees what the one before it has left. */
function isInLoop(around: StepNode[], common: number, target: StepNode): boolean {
  return around.slice(0, common).some((node, index) => {
    const isAround = node !== target && around[index + 1] !== undefined;
    return isAround && ('foreach' in node.definition || 'repeat' in node.definition || 'retry' in node.definition);
  });
}

/** The step itself, or one around it. */
function orderOfOuter({ phase }: Spot, next: StepNode | undefined, never: Order): Order {
  if (next) return next.part === 'handler' || next.part === 'finally' ? { when: 'within' } : never;
  if (phase === 'undo') return { when: 'before' };
  return phase === 'handler' ? { when: 'within' } : never;
}

/** A step inside the one whose expression it is. */
function orderOfInner({ phase, number }: Spot, other: StepNode, below: StepNode[], never: Order): Order {
  const isMain = other.part === 'steps' || other.part === 'branch' || other.part === 'case';
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

/** Whether a step that stands before has run, or was skipped with what is around it, or has failed. */
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
  if (isInside && part === 'branch' && parent && 'race' in parent.definition) return 'may lose the `race`';
  if (definition.continue_on_error) return 'may have failed, and `continue_on_error` goes on';
  return isCaught(definition, isTarget) ? 'may have failed, and `on_error` goes on' : undefined;
}

/** Whether a failure of a step leaves null behind; what is inside it has no output of a handler. */
function isCaught({ on_error: handlers = [] }: BranchDefinition, isTarget: boolean): boolean {
  return handlers.some(({ steps = [], output, rethrow }) => {
    return !rethrow && !(isTarget && output !== undefined) && !endsTask(steps);
  });
}

function conditionsOf(below: StepNode[]): string[] {
  return below.flatMap(({ definition, part, parent, number }) => {
    const item = part === 'case' && parent && 'switch' in parent.definition ? parent.definition.switch : [];
    const cases = item.slice(0, number + 1).flatMap((one) => ('else' in one ? [] : [one.if]));
    return definition.if === undefined ? cases : [definition.if, ...cases];
  });
}
