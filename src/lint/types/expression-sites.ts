import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition, StepOf } from '../../definitions/formats/steps.js';
import { expressionsOf, handlerOutputs, type StepExpression } from '../../definitions/step-expressions.js';
import {
  isRepeated,
  listsInside,
  listsOfWorkflow,
  type Part,
  placeInList,
  type StepList,
} from '../../definitions/step-lists.js';

export interface KnownCondition {
  source: string;
  outcome: boolean;
}

/** The type expected at a site. An argument is a text, or a file that is passed as its path. */
export type Belongs = StepExpression['belongs'] | 'argument';

export interface ExpressionSite extends Omit<StepExpression, 'belongs'> {
  belongs: Belongs;
  /** Undefined for expressions of the workflow itself. */
  node: StepNode | undefined;
  /** The loops whose variables are visible, from the outermost to the innermost. */
  loops: readonly StepNode[];
  conditions: readonly KnownCondition[];
}

interface Around {
  loops: readonly StepNode[];
  conditions: readonly KnownCondition[];
}

export interface WorkflowSites {
  nodes: StepNode[];
  sites: ExpressionSite[];
}

export function findSites(workflow: HighLevel): WorkflowSites {
  return new SiteFinder(workflow).found;
}

class SiteFinder {
  readonly found: WorkflowSites = { nodes: [], sites: [] };

  constructor({ concurrency, output, ...workflow }: HighLevel) {
    const around: Around = { loops: [], conditions: [] };
    const usual = { phase: 'before', number: 0 } as const;
    if (concurrency) {
      this.add(undefined, around, { ...usual, path: ['concurrency', 'key'], value: concurrency.key, belongs: 'text' });
    }
    for (const list of listsOfWorkflow(workflow)) this.list(list, undefined, around);
    for (const expression of handlerOutputs(workflow.on_error)) this.add(undefined, around, expression);
    if (output !== undefined) {
      this.add(undefined, around, { ...usual, path: ['output'], value: output, belongs: 'output', phase: 'end' });
    }
  }

  private list(list: StepList, parent: StepNode | undefined, around: Around): void {
    const { part, number } = list;
    let { conditions } = around;
    for (const [index, definition] of list.steps.entries()) {
      const path = [...(parent?.path ?? []), ...placeInList(list, index)];
      const node = { id: definition.id, definition, path, parent, part, number, index };
      this.step(node, { ...around, conditions });
      // Clean-ups continue after a failed step, and branches run concurrently.
      if (part !== 'finally' && part !== 'branch') conditions = [...conditions, ...knownAfter(definition)];
    }
  }

  private step(node: StepNode, around: Around): void {
    const { definition } = node;
    this.found.nodes.push(node);
    const inside = definition.if === undefined ? around : known(around, definition.if, true);
    const loops = [...around.loops, node];
    for (const expression of expressionsOf(definition)) {
      const { path, sees } = expression;
      const at = path[0] === 'if' ? around : whereIn(definition, path, inside);
      this.add(node, sees === 'turn' ? { ...at, loops } : at, expression);
    }
    for (const list of listsInside(definition)) {
      const sees = isRepeated(list) ? { ...inside, loops } : inside;
      this.list(list, node, list.part === 'case' ? inCase(definition, list.number, sees) : sees);
    }
  }

  private add(node: StepNode | undefined, { loops, conditions }: Around, expression: StepExpression): void {
    const path = [...(node?.path ?? []), ...expression.path];
    this.found.sites.push({ ...expression, path, node, loops, conditions });
  }
}

function known(around: Around, source: string, outcome: boolean): Around {
  return { ...around, conditions: [...around.conditions, { source, outcome }] };
}

/** The condition of a case is evaluated only if those of all earlier cases were false. */
function whereIn(step: StepDefinition, [key, number]: PropertyKey[], around: Around): Around {
  return step.verb === 'switch' && key === 'switch' ? before(step.switch, Number(number), around) : around;
}

function before(cases: StepOf<'switch'>['switch'], number: number, around: Around): Around {
  return cases.slice(0, number).reduce((at, item) => ('else' in item ? at : known(at, item.if, false)), around);
}

function inCase(step: StepDefinition, number: number, around: Around): Around {
  if (step.verb !== 'switch') return around;
  const item = step.switch[number];
  const at = before(step.switch, number, around);
  return !item || 'else' in item ? at : known(at, item.if, true);
}

/** If a step ends the task under a condition, the condition is false after it. */
function knownAfter(step: StepDefinition): KnownCondition[] {
  if (step.if !== undefined) return stepEndsTask(step) ? [{ source: step.if, outcome: false }] : [];
  if (step.verb !== 'switch' || step.on_error || step.continue_on_error) return [];
  const passed = step.switch.findIndex((item) => 'else' in item || !endsTask(item.steps));
  const ended = passed < 0 ? step.switch : step.switch.slice(0, passed);
  return ended.flatMap((item) => ('else' in item ? [] : [{ source: item.if, outcome: false }]));
}

export interface StepNode {
  id: string;
  definition: StepDefinition;
  path: PropertyKey[];
  parent: StepNode | undefined;
  part: Part;
  /** Number of the case or handler; 0 for other parts. */
  number: number;
  /** Index in its list; branches run concurrently, in no order. */
  index: number;
}

export function endsTask(steps: readonly StepDefinition[]): boolean {
  return steps.some((step) => step.if === undefined && stepEndsTask(step));
}

export function stepEndsTask(step: StepDefinition): boolean {
  if (step.on_error || step.continue_on_error) return false;
  switch (step.verb) {
    case 'fail':
    case 'end':
      return true;
    case 'steps':
      return step.retry === undefined && endsTask(step.steps);
    case 'switch': {
      const isWhole = step.switch.some((item) => 'else' in item);
      return isWhole && step.switch.every((item) => endsTask('else' in item ? item.else : item.steps));
    }
    // A loop may run nothing, and a branch that ends the task does so while others run.
    case 'foreach':
    case 'repeat':
    case 'parallel':
    case 'race':
    case 'call':
    case 'approval':
    case 'wait':
    case 'template':
    case 'let':
      return false;
  }
}

/** From the outermost to the innermost. */
export function loopsAround(node: StepNode | undefined): StepNode[] {
  return chainOf(node).flatMap((one) => (one.parent && isRepeated(one) ? [one.parent] : []));
}

/** The steps around a step, from the outermost down to the step itself. */
export function chainOf(node: StepNode | undefined): StepNode[] {
  const chain: StepNode[] = [];
  for (let at = node; at; at = at.parent) chain.unshift(at);
  return chain;
}
