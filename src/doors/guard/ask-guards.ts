import type { Person } from '../../contracts/callers.js';
import type { GuardDecision, HookAnswer } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { FormOfCall } from './forms-of-call.js';
import type { GuardedAbility, GuardIndex } from './guard-index.js';

/** An ability that a tool call amounts to, with the matching input. */
export interface AbilityCall {
  ability: string;
  input: JsonObject;
}

export interface GuardAnswer {
  ability: string;
  decision: GuardDecision;
  reason: string;
  suggestion?: string;
  hook?: string;
  warnings: string[];
}

export interface GuardContext {
  root: string;
  index: GuardIndex;
  env: NodeJS.ProcessEnv;
  user: Person;
  session: string | null;
  scope?: string;
  moment: number;
}

/** The abilities behind a call, by the mappings of hooks; an irreversible mapping is an answer itself. */
export async function mappedAbilities(
  forms: readonly FormOfCall[],
  { index }: GuardContext,
): Promise<(AbilityCall | GuardAnswer)[]> {
  const fitting = index.mappings.flatMap((mapping) =>
    forms.filter(({ tool_name }) => tool_name === mapping.tool_name).map(({ tool_input }) => ({ mapping, tool_input })),
  );
  if (fitting.length === 0) return [];
  const { inputOfCall } = await import('./input-of-call.js');
  const seen = new Set<string>();
  return fitting.flatMap<AbilityCall | GuardAnswer>(({ mapping: { ability, hook, ...mapping }, tool_input }) => {
    const read = inputOfCall(mapping as Parameters<typeof inputOfCall>[0], tool_input);
    if (read.fits === false) return [];
    if (read.fits === 'unknown') {
      const reason = `The hook ${hook} maps ${ability} with \`${read.template}\`, which cannot be reversed, so its guards cannot run.`;
      const suggestion = 'Use only paths of `input` in `tool_input` of the mapping, such as `${{ input.command }}`.';
      return [{ ability, decision: 'deny', reason, suggestion, warnings: [] }];
    }
    const key = JSON.stringify([ability, read.input]);
    if (seen.has(key)) return [];
    seen.add(key);
    return [{ ability, input: read.input }];
  });
}

/** Asks the PreAbilityCall guards of one ability about an input; needs no server. */
export async function askAbility(abilityCall: AbilityCall, context: GuardContext): Promise<GuardAnswer> {
  const { ability } = abilityCall;
  const guarded = Object.hasOwn(context.index.guarded, ability) ? context.index.guarded[ability] : undefined;
  const answers = guarded ? await askExpressions(abilityCall, guarded, context) : await askAll(abilityCall, context);
  const { strictestOf } = await import('../../rules/hooks/fold-answers.js');
  const { failureOf } = await import('../../rules/hooks/handlers.js');
  const decision = strictestOf(answers.map((answer) => answer.decision)) ?? 'allow';
  const decisive = answers.find((answer) => answer.decision === decision && decision !== 'allow');
  return {
    ability,
    decision,
    reason: decisive?.status === 'error' ? failureOf(decisive) : decisive ? (decisive.reason ?? 'no reason') : '',
    ...(decisive?.suggestion !== undefined && { suggestion: decisive.suggestion }),
    ...(decisive && { hook: decisive.hook_id }),
    warnings: answers.flatMap(({ warnings = [] }) => warnings),
  };
}

async function askExpressions(
  { ability, input }: AbilityCall,
  { hooks, facts, defaults }: GuardedAbility,
  { user: { name, source }, session, moment }: GuardContext,
): Promise<HookAnswer[]> {
  const answers: HookAnswer[] = [];
  if (hooks.length === 0) return answers;
  const { answerByFacts } = await import('../../rules/hooks/handlers.js');
  const { firesFor } = await import('../../rules/hooks/handlers.js');
  const { handlerReadsSession } = await import('../../rules/sessions/session-reads.js');
  const { refuseSessionGuard } = await import('../../rules/sessions/call-ledger.js');
  const given = { ...facts, input: { ...defaults, ...input }, user: { name, source } };
  const all = { ...given, session: session === null ? null : { id: session } };
  // A call of an agent's tool has the caller `agent`, or `session` in a session, as a task there has.
  const caller = session === null ? 'agent' : 'session';
  for (const hook of hooks.filter((each) => firesFor(each, caller) && each.blocking !== false)) {
    const answer =
      session !== null && handlerReadsSession(hook.handler)
        ? refuseSessionGuard(hook.id, ability, session)
        : answerByFacts(hook, { phase: 'PreAbilityCall', path: '' }, all, moment);
    answers.push(answer);
    if (answer.decision === 'deny') break;
  }
  return answers;
}

/** The complete evaluation: loads definitions, pins and runs scripts. */
async function askAll(abilityCall: AbilityCall, context: GuardContext): Promise<HookAnswer[]> {
  const { askGuards } = await import('../../worker/hooks-outside-tasks.js');
  return askGuards({ ...abilityCall, environment: context.index.environment, ...context });
}
