import type { HighLevel } from './formats/high-level.js';
import type { ErrorHandlerDefinition, StepDefinition } from './formats/steps.js';

/** The list of a step, or of the workflow, that holds a step; a step in `item` or `turn` runs once per item or turn. */
export type Part = 'steps' | 'item' | 'turn' | 'branch' | 'case' | 'handler' | 'finally';

/** A list of steps inside a step or a workflow. */
export interface StepList {
  part: Part;
  /** Which case or handler; 0 for the other parts. */
  number: number;
  /** From what holds it to the list. */
  path: PropertyKey[];
  /** In the order in which they run; branches run at once. */
  steps: readonly StepDefinition[];
}

/** What holds steps that deal with its failure, and clean up after it. */
interface Around {
  on_error?: ErrorHandlerDefinition[] | undefined;
  finally?: StepDefinition[] | undefined;
}

/** Every list of steps inside a step, in the order in which they may run. */
export function listsInside(step: StepDefinition): StepList[] {
  return [...listsOfVerb(step), ...listsAround(step)];
}

/** The lists of steps of a workflow itself. */
export function listsOfWorkflow(workflow: Around & { steps: StepDefinition[] }): StepList[] {
  return [listOf('steps', ['steps'], workflow.steps), ...listsAround(workflow)];
}

/** Whether a list runs once for each item or turn, and so sees the names of a loop. */
export function isRepeated({ part }: Pick<StepList, 'part'>): boolean {
  return part === 'item' || part === 'turn';
}

/** The names that a loop gives to its steps, by the keys that say them. */
export function loopNamesOf(step: StepDefinition): Record<string, string> {
  return {
    ...('as' in step && { as: step.as }),
    ...('index' in step && step.index !== undefined && { index: step.index }),
  };
}

/** The place of a step in a list, from the holder of the list: a branch by its id, any other step by its number. */
export function placeInList({ part, path, steps }: StepList, index: number): PropertyKey[] {
  return [...path, part === 'branch' ? (steps[index]?.id ?? index) : index];
}

/** A step, or a workflow, with other steps in its lists. */
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

/** The lists that the verb of a step runs. A new verb is one more case here. */
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

/** A copy of a JSON value with another one at a path, which must exist. */
export function replaceAt<Value>(value: Value, path: readonly PropertyKey[], other: unknown): Value {
  const [key, ...rest] = path;
  if (key === undefined) return other as Value;
  if (Array.isArray(value)) {
    return value.map((item, index) => (index === key ? replaceAt(item, rest, other) : item)) as Value;
  }
  const at = (value as Record<PropertyKey, unknown>)[key];
  return { ...value, [key]: replaceAt(at, rest, other) };
}

/** A workflow as its file says it, with defaults: without what loading marks steps with, so that one can copy it. */
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
