import type { NewGap } from '../../contracts/gaps.js';
import type { EventContext, HookAnswer } from '../../contracts/hooks.js';
import type { Registry } from '../../definitions/registry.js';
import type { HandlerOf } from '../../rules/hooks/handlers.js';
import type { Tracer } from '../../tracing/open-tracer.js';
import type { SecretReader } from '../secrets/secret-reader.js';
import type { AnswerAbility } from './ability-handler.js';
import type { HookRun } from './hook-context.js';

/** Answers a hook whose handler is a script. @throws where it cannot be run: the hook then fails. */
export type AnswerScript = (
  id: string,
  handler: HandlerOf<'script'>,
  context: EventContext,
  run: HookRun,
) => Promise<HookAnswer>;

export interface HookDependencies {
  answerScript: AnswerScript;
  answerAbility: AnswerAbility;
  secrets: (environment: string) => SecretReader;
  /** The current definitions; absent: nothing to suggest from. */
  definitions?: () => Registry;
  /** Records a request that no ability serves; absent: not recorded. */
  recordGap?: (gap: NewGap) => void;
  recordUsage: (line: Record<string, unknown>) => void;
  /** Absent: no traces are written. */
  tracer?: Tracer;
}
