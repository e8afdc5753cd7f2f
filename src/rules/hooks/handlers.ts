/** The kinds of handlers in a plan: the one place that lists them. Runs in Temporal's sandbox too. */
import type { HookAnswer } from '../../contracts/hooks.js';
import type { PlanHandler, PlanHook, PlanHooks, PlanOperation, PlanScript } from '../../contracts/plan.js';
import { kindOf } from '../../kinds/kinds.js';
import { answerExpression, type HookFacts, type HookPlace } from './hook-facts.js';

export type HandlerName = PlanHandler['kind'];
export type HandlerOf<K extends HandlerName> = Extract<PlanHandler, { kind: K }>;

interface HandlerKind<K extends HandlerName> {
  /** Answers by facts alone, so also in a workflow or in a process of its own; null: it needs an activity. */
  answer: ((id: string, handler: HandlerOf<K>, at: HookPlace, facts: HookFacts, moment: number) => HookAnswer) | null;
  /** Whether the attempt of a call asks it, and so no activity: it takes almost no time. */
  isInAttempt: boolean;
  /** Whether its definition says that it may ask people; only an answer says that of a program. */
  isSeenToAsk(handler: HandlerOf<K>): boolean;
  /** Whether people may raise the limit at which it denies. */
  hasRaisableLimit(handler: HandlerOf<K>): boolean;
  /** Its own scripts, without those of its ability. */
  scripts(handler: HandlerOf<K>): PlanScript[];
  /** The low-level ability that it calls. */
  ability(handler: HandlerOf<K>): PlanOperation | undefined;
  withAbility(handler: HandlerOf<K>, operation: PlanOperation): HandlerOf<K>;
}

/** What most handlers have not. */
const PLAIN = {
  answer: null,
  isInAttempt: false,
  isSeenToAsk: () => false,
  hasRaisableLimit: () => false,
  scripts: () => [],
  ability: () => undefined,
  withAbility: <T>(handler: T): T => handler,
} as const;

const HANDLERS: { readonly [K in HandlerName]: HandlerKind<K> } = {
  expression: {
    ...PLAIN,
    answer: answerExpression,
    isSeenToAsk: ({ confirm_if, on_limit }) => (confirm_if ?? on_limit) !== undefined,
    hasRaisableLimit: ({ on_limit }) => on_limit === 'ask',
  },
  script: { ...PLAIN, scripts: ({ script }) => [script] },
  builtin: { ...PLAIN, isInAttempt: true },
  ability: {
    ...PLAIN,
    ability: ({ operation }) => operation,
    withAbility: (handler, operation) => ({ ...handler, operation }),
  },
};

export function handlerKindOf<K extends HandlerName>({ kind }: { kind: K }): HandlerKind<K> {
  return HANDLERS[kind];
}

/** Whether facts alone answer a hook: see {@link answerByFacts}. */
export function needsActivity({ handler }: { handler: PlanHandler }): boolean {
  return handlerKindOf(handler).answer === null;
}

/** @throws Error for a handler that needs an activity; it must not count as one that allows. */
export function answerByFacts(
  { id, handler }: { id: string; handler: PlanHandler },
  at: HookPlace,
  facts: HookFacts,
  moment: number,
): HookAnswer {
  const { answer } = handlerKindOf(handler);
  if (!answer) throw new Error(`the hook ${id} cannot be answered here`);
  return answer(id, handler, at, facts, moment);
}

/** The scripts that a handler runs, either directly or through an ability. */
export function scriptsOfHandler(handler: PlanHandler): PlanScript[] {
  const kind = handlerKindOf(handler);
  const implementation = kind.ability(handler)?.implementation;
  return [...kind.scripts(handler), ...(implementation ? kindOf(implementation).scripts(implementation) : [])];
}

export function hooksOf({ pre_create, pre_call, post_call }: PlanHooks): PlanHook[] {
  return [...pre_create, ...pre_call, ...post_call];
}
