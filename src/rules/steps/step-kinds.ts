import type { PlanStep } from '../../contracts/plan.js';

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
