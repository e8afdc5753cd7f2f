import type { HighLevel } from './formats/high-level.js';
import type { ErrorHandlerDefinition, StepDefinition } from './formats/steps.js';

/** Which list of a step or a workflow it is; `item` and `turn` run once per item or turn. */
export type Part = 'steps' | 'item' | 'turn' | 'branch' | 'case' | 'handler' | 'finally';

export interface StepList {
  part: Part;
  /** Index of the case or handler; 0 for other parts. */
  number: number;
  /** Relative to what contains the list. */
  path: PropertyKey[];
  /** In execution order; branches run concurrently. */
  steps: readonly StepDefinition[];
}

interface Around {
  on_error?: ErrorHandlerDefinition[] | undefined;
  finally?: StepDefinition[] | undefined;
}

/** All lists of steps inside a step, in the order in which they may run. */
export function listsInside(step: StepDefinition): StepList[] {
  return [...listsOfVerb(step), ...listsAround(step)];
}

export function listsOfWorkflow(workflow: Around & { steps: StepDefinition[] }): StepList[] {
  return [listOf('steps', ['steps'], workflow.steps), ...listsAround(workflow)];
}

/** Whether a list runs once per item or turn, and so sees the names of a loop. */
export function isRepeated({ part }: Pick<StepList, 'part'>): boolean {
  return part === 'item' || part === 'turn';
}

export function loopNamesOf(step: StepDefinition): Record<string, string> {
  return {
    ...('as' in step && { as: step.as }),
    ...('index' in step && step.index !== undefined && { index: step.index }),
  };
}

/** Path of a step from the holder of its list: a branch by its id, any other step by its index. */
export function placeInList({ part, path, steps }: StepList, index: number): PropertyKey[] {
  return [...path, part === 'branch' ? (steps[index]?.id ?? index) : index];
}

/** A copy of a step or workflow with changed steps in these lists. */
export function changeLists<Holder extends object>(
  holder: Holder,
  lists: readonly StepList[],
  change: (list: StepList) => StepDefinition[],
): Holder {
  return lists.reduce((changed, list) => {
    const steps = change(list);
    return replaceAt(changed, list.path, list.part === 'branch' ? branchesOf(steps) : steps);
  }, holder);
}

/** The lists that a step's verb runs. A new verb needs a case here. */
function listsOfVerb(step: StepDefinition): StepList[] {
  switch (step.verb) {
    case 'parallel':
      return [listOf('branch', ['parallel'], Object.values(step.parallel))];
    case 'race':
      return [listOf('branch', ['race'], Object.values(step.race))];
    case 'foreach':
      return [listOf('item', ['steps'], step.steps)];
    case 'repeat':
      return [listOf('turn', ['steps'], step.steps)];
    case 'steps':
      return [listOf('steps', ['steps'], step.steps)];
    case 'switch':
      return step.switch.map((item, number) =>
        'else' in item
          ? listOf('case', ['switch', number, 'else'], item.else, number)
          : listOf('case', ['switch', number, 'steps'], item.steps, number),
      );
    case 'call':
    case 'approval':
    case 'wait':
    case 'template':
    case 'let':
    case 'fail':
    case 'end':
      return [];
  }
}

function listsAround({ on_error = [], finally: cleanup }: Around): StepList[] {
  const handlers = on_error.flatMap(({ steps }, number) =>
    steps ? [listOf('handler', ['on_error', number, 'steps'], steps, number)] : [],
  );
  return [...handlers, ...(cleanup ? [listOf('finally', ['finally'], cleanup)] : [])];
}

function listOf(part: Part, path: PropertyKey[], steps: readonly StepDefinition[], number = 0): StepList {
  return { part, number, path, steps };
}

function branchesOf(steps: readonly StepDefinition[]): Record<string, StepDefinition> {
  return Object.fromEntries(steps.map((step) => [step.id, step]));
}

/** A copy of a JSON value with the part at an existing path replaced. */
export function replaceAt<Value>(value: Value, path: readonly PropertyKey[], other: unknown): Value {
  const [key, ...rest] = path;
  if (key === undefined) return other as Value;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaceAt(item, rest, other) : item)) as Value;
  }
  const at = (value as Record<PropertyKey, unknown>)[key];
  return { ...value, [key]: replaceAt(at, rest, other) };
}

/** A workflow as written, with defaults but without the marks of loading, so that it can be copied. */
export function withoutMarks(workflow: HighLevel): unknown {
  const { templates } = workflow;
  const unmarked = unmark(workflow, listsOfWorkflow(workflow));
  if (!templates) return unmarked;
  const entries = Object.entries(templates).map(([name, one]) => [name, unmark(one, listsOfWorkflow(one))]);
  return { ...unmarked, templates: Object.fromEntries(entries) };
}

function unmark(holder: object, lists: readonly StepList[]): object {
  return lists.reduce((changed, { part, path, steps }) => {
    const written = steps.map((step) => {
      const { id, verb: _, ...own } = { id: step.id, verb: step.verb, ...unmark(step, listsInside(step)) };
      return { id, own };
    });
    const branches = part === 'branch' && Object.fromEntries(written.map(({ id, own }) => [id, own]));
    return replaceAt(changed, path, branches || written.map(({ id, own }) => ({ id, ...own })));
  }, holder);
}
