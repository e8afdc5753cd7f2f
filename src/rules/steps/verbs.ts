import type { PlanStep } from '../../contracts/plan.js';

/**
 * The kind of step of each verb: a `call`; a `plain` one, without calls and inner steps; a `group` whose steps run one
 * by one, so that it can be partly done; a `loop`, which runs its steps once a turn; a `race`, done as a whole.
 */
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

/** A step with a verb of one kind. */
export type StepOfKind<Kind extends Kinds[keyof Kinds]> = Extract<
  PlanStep,
  { verb: { [Verb in keyof Kinds]: Kinds[Verb] extends Kind ? Verb : never }[keyof Kinds] }
>;

/** Whether a step runs its steps once a turn, so that their paths hold the number of the turn. */
export function isLoop(step: PlanStep | undefined): step is StepOfKind<'loop'> {
  return step !== undefined && KINDS[step.verb] === 'loop';
}

/** Whether a step can be done in part. */
export function isGroup({ verb }: PlanStep): boolean {
  return KINDS[verb] === 'group';
}

/** Whether a step calls nothing and holds no steps. */
export function isPlain({ verb }: PlanStep): boolean {
  return KINDS[verb] === 'plain';
}
