import type { ErrorHandler, PlanAgent, PlanStep } from '../../contracts/plan.js';
import { memoize } from '../../text/memoize.js';

/** The last part of its path. A template's step has the id `tell/send` and the name `send`. */
export function nameOfStep(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

/** Name of the step that holds a template's arguments; no author can use it there. */
export const GIVEN = 'input';

/** Whether expanding a template added the step, so that its author does not know it. @param id of the step. */
export function isOfExpansion(id: string): boolean {
  return id.endsWith(`/${GIVEN}`);
}

/** Whether a step runs in a loop, as in `hosts/12/check`. No step id begins with a digit. */
export function isInTurn(path: string): boolean {
  return /\/\d+\//.test(path);
}

/** Replaces the numbers of turns by `*`. */
export function generalPath(path: string): string {
  return path.replaceAll(/\/\d+(?=\/)/g, '/*');
}

/** The number of the innermost turn; 0 outside loops. */
export function turnOf(path: string): number {
  return Number([...path.matchAll(/\/(\d+)(?=\/)/g)].at(-1)?.[1] ?? 0);
}

/** Path for the undo of a call that an earlier attempt of its group made: `<call>~1.undo`, `<call>~2.undo`, ... */
export function earlierUndo(call: string, progress: object, number = 1): string {
  const path = `${call}~${number}.undo`;
  return Object.hasOwn(progress, path) ? earlierUndo(call, progress, number + 1) : path;
}

/** Path of the call that an undo takes back, in whichever attempt of its group it was made. */
export function callOfUndo(path: string): string {
  return path.replace(/(~\d+)?(\.undo)?$/, '');
}

/** Path, or id, of the questions about a lost call. */
export function askPath(call: string): string {
  return `${call}.unknown`;
}

/** `plain`: no calls or inner steps; `group`: may be partly done; `loop`: in turns; `race`: done as a whole. */
const KINDS = {
  call: 'call',
  approval: 'plain',
  parallel: 'group',
  race: 'race',
  foreach: 'loop',
  switch: 'group',
  repeat: 'loop',
  wait: 'plain',
  steps: 'group',
  let: 'plain',
  fail: 'plain',
  end: 'plain',
} as const satisfies Record<PlanStep['verb'], string>;

type Kinds = typeof KINDS;

export type StepOfKind<Kind extends Kinds[keyof Kinds]> = Extract<
  PlanStep,
  { verb: { [Verb in keyof Kinds]: Kinds[Verb] extends Kind ? Verb : never }[keyof Kinds] }
>;

/** Whether a step runs its inner steps once per turn, so that their paths contain the number of the turn. */
export function isLoop(step: PlanStep | undefined): step is StepOfKind<'loop'> {
  return step !== undefined && KINDS[step.verb] === 'loop';
}

/** Whether a step can be partly done. */
export function isGroup({ verb }: PlanStep): boolean {
  return KINDS[verb] === 'group';
}

/** Whether a step makes no call and has no inner steps. */
export function isPlain({ verb }: PlanStep): boolean {
  return KINDS[verb] === 'plain';
}

export interface InnerSteps {
  steps: readonly PlanStep[];
  /** Whether it runs once per turn, so that its paths contain the number of the turn. */
  isRepeated: boolean;
}

/** Every list of steps inside a step, including handlers and clean-ups, in the order in which they may run. */
export function innerSteps(step: PlanStep): InnerSteps[] {
  const lists = [...listsOfVerb(step), ...(step.on_error ?? []).map(({ steps }) => steps), step.finally ?? []];
  return lists
    .map((steps, index) => ({ steps, isRepeated: isLoop(step) && index === 0 }))
    .filter(({ steps }) => steps.length > 0);
}

function listsOfVerb(step: PlanStep): (readonly PlanStep[])[] {
  switch (step.verb) {
    case 'steps':
    case 'foreach':
    case 'repeat':
      return [step.steps];
    case 'parallel':
    case 'race':
      return [step.branches];
    case 'switch':
      return step.cases.map(({ steps }) => steps);
    case 'call':
    case 'approval':
    case 'wait':
    case 'let':
    case 'fail':
    case 'end':
      return [];
  }
}

/** Every step at any depth with its path, which has `*` in place of turn numbers. */
export function listSteps(steps: readonly PlanStep[], prefix = ''): { step: PlanStep; path: string }[] {
  return steps.flatMap((step) => {
    const path = prefix + nameOfStep(step.id);
    const inner = innerSteps(step).flatMap((list) => listSteps(list.steps, `${path}/${list.isRepeated ? '*/' : ''}`));
    return [{ step, path }, ...inner];
  });
}

/** The steps of one turn without those of nested loops; paths are relative to the turn. */
export function stepsOfTurn({ steps }: { steps: readonly PlanStep[] }): { step: PlanStep; path: string }[] {
  return listSteps(steps).filter(({ path }) => !path.includes('*'));
}

/** Like {@link listSteps}, without handlers and clean-ups. */
export function mainSteps(steps: readonly PlanStep[], prefix = ''): { step: PlanStep; path: string }[] {
  return steps.flatMap((step) => {
    const path = prefix + nameOfStep(step.id);
    const inner = listsOfVerb(step).flatMap((list) => mainSteps(list, `${path}/${isLoop(step) ? '*/' : ''}`));
    return [{ step, path }, ...inner];
  });
}

export interface StepTree {
  steps: readonly PlanStep[];
  finally: readonly PlanStep[];
  on_error?: readonly ErrorHandler[];
  /** Set for an agent, whose steps are its turns. */
  agent?: PlanAgent;
}

/** By last name, which is unique in a file, or in its template. Undefined for the task itself. */
export function findStep(tree: StepTree, path: string): PlanStep | undefined {
  const steps = stepsByName(tree);
  return steps.get(generalPath(path)) ?? steps.get(nameOfStep(path));
}

const stepsByName = memoize((tree: StepTree): Map<string, PlanStep> => {
  const all = allSteps(tree);
  // The path of a template's step never equals an id.
  const ofTemplates = all.filter(({ step }) => step.id.includes('/'));
  return new Map([
    ...all.map(({ step }) => [step.id, step] as const),
    ...ofTemplates.map(({ step, path }) => [path, step] as const),
  ]);
});

/** Every step of a tree with its path, in the order in which they may run. */
export function allSteps({ steps, on_error = [], finally: cleanup }: StepTree): { step: PlanStep; path: string }[] {
  return [...listSteps(steps), ...on_error.flatMap((handler) => listSteps(handler.steps)), ...listSteps(cleanup)];
}
