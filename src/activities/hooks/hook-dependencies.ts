import type { NewGap } from '../../contracts/gaps.js';
import type { EventContext, HookAnswer } from '../../contracts/hooks.js';
import type { PlanHandler } from '../../contracts/plan.js';
import type { Registry } from '../../definitions/registry.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import type { Tracer } from '../../tracing/tracer.js';
import type { AnswerAbility } from './ability-handler.js';
import type { HookRun } from './hook-context.js';

/** Answers for a hook whose handler is a script. @throws where it cannot be run, which counts as a failed hook. */
export type AnswerScript = (
  id: string,
  handler: Extract<PlanHandler, { kind: 'script' }>,
  context: EventContext,
  run: HookRun,
) => Promise<HookAnswer>;

/** Dependencies of hooks outside the workflow. */
export interface HookDependencies {
  answerScript: AnswerScript;
  answerAbility: AnswerAbility;
  secrets: (environment: string) => SecretSource;
  /** The definitions as they are now; absent: there are none to suggest from. */
  definitions?: () => Registry;
  /** Records a request that no ability serves; absent: not recorded. */
  recordGap?: (gap: NewGap) => void;
  /** Appends one line to the project's usage log. */
  recordUsage: (line: Record<string, unknown>) => void;
  /** Left out: no traces are written. */
  tracer?: Tracer;
}
