import type { AbilityGuard } from '../../contracts/session.js';
import { oneLine } from '../../rules/shown-text.js';
import { askAbility, type GuardAnswer, type GuardContext, mappedAbilities } from './ask-guards.js';
import type { Finding } from './finding.js';
import { formsOfCall } from './forms-of-call.js';
import type { Bypass } from './guard-index.js';
import { judgeTool } from './judge-tool.js';
import type { Verdict } from './print-answer.js';
import { Places } from './protected-places.js';
import type { AgentCall } from './read-event.js';
import { RegisteredEndpoints } from './registered-endpoints.js';
import { RegisteredScripts } from './registered-scripts.js';
import { registeredTool } from './registered-tools.js';

/** The gravest of runtime bypasses and the answers of the abilities' guards; no opinion on all else. */
export async function judgeCall(call: AgentCall, context: GuardContext): Promise<Verdict> {
  const { index, env, root } = context;
  const forms = formsOfCall(call);
  const places = new Places(root, index);
  const variable = await variablesOf(context);
  const registered = {
    places,
    env,
    scripts: new RegisteredScripts(places),
    endpoints: new RegisteredEndpoints(index, variable),
  };
  const findings = judgeTool(call, forms, call.cwd ?? root, registered);
  if (forms.some(({ tool_name }) => index.unreadableTools.includes(tool_name))) {
    findings.push({
      about: 'abilities',
      what: `A file of hooks cannot be read, and may guard ${call.name}`,
      instead: 'Correct it; `ability lint` shows where it is wrong.',
    });
  }
  const mapped = await mappedAbilities(forms, context);
  const tool = registeredTool(call, index.tools, root);
  const others =
    tool && !mapped.some(({ ability }) => ability === tool.ability)
      ? [{ ability: tool.ability, input: call.input }]
      : [];
  const answers: GuardAnswer[] = [];
  for (const each of [...mapped, ...others]) answers.push('decision' in each ? each : await askAbility(each, context));
  return verdictOf(findings, answers, context);
}

/** Looks up addresses in variables; loads nothing if there are none. */
async function variablesOf({ index, root, env }: GuardContext): Promise<(reference: string) => string | undefined> {
  if (!index.endpoints.some(({ url }) => url.startsWith('env:'))) return () => undefined;
  const { EnvironmentVariables } = await import('../../planning/secrets/secret-source.js');
  const variables = new EnvironmentVariables(root, index.environment, env);
  return (reference) => variables.find(reference.slice('env:'.length));
}

function verdictOf(findings: readonly Finding[], answers: readonly GuardAnswer[], { index }: GuardContext): Verdict {
  const at = (level: string): string[] => {
    const found = findings.filter(({ about, isUnsure }) => index.bypass[about] === level && !isUnsure);
    return [...new Set(found.map(({ what, instead }) => `${what}. ${instead}`))];
  };
  const refused = at('deny');
  const warnings = [...at('warn'), ...answers.flatMap((answer) => answer.warnings)];
  const faults = index.faults.length > 0 && refused.length > 0 ? [`This project has a fault: ${index.faults[0]}.`] : [];
  const said = (decision: string): string[] =>
    answers
      .filter((answer) => answer.decision === decision)
      .map(({ ability, hook, reason, suggestion = '' }) => {
        const source = hook === undefined ? ability : `hook ${hook} of ${ability}`;
        return `${reason} (${source}) ${suggestion}`.trimEnd();
      });
  const guards = guardsOf(findings, answers, index.bypass);
  const denied = [...refused, ...said('deny')];
  if (denied.length > 0)
    return { decision: 'deny', reason: ['ability guard:', ...denied, ...faults].join(' '), warnings, guards };
  const doubts = findings.filter(({ about, isUnsure }) => isUnsure && index.bypass[about] === 'deny');
  const asks = [...said('need_user_confirm'), ...new Set(doubts.map(({ what, instead }) => `${what}. ${instead}`))];
  if (asks.length > 0) return { decision: 'ask', reason: ['ability guard:', ...asks].join(' '), warnings, guards };
  return { decision: 'none', reason: '', warnings, guards };
}

/** The maximum number of findings recorded of one call, and of characters of each text. */
const MAX = 20;
const MAX_CHARACTERS = 500;

/** For a session: guards and bypassed abilities, each once; no words of the call, which may hold data. */
function guardsOf(findings: readonly Finding[], answers: readonly GuardAnswer[], bypass: Bypass): AbilityGuard[] {
  const round = findings
    .filter(({ about }) => bypass[about] !== 'off')
    .map(({ about, ability = '*', instead, isUnsure }): AbilityGuard => {
      const decision = bypass[about] !== 'deny' ? 'allow' : isUnsure ? 'need_user_confirm' : 'deny';
      const source = `policy.bypass.${about}`;
      return { ability_id: ability, decision, reason: REASONS[about], suggestion: short(instead), source };
    });
  const given = answers.map(({ ability, decision, reason, suggestion, hook = '*' }): AbilityGuard => {
    const advice = suggestion === undefined ? {} : { suggestion: short(suggestion) };
    return { ability_id: ability, decision, reason: short(reason), ...advice, source: `PreAbilityCall.${hook}` };
  });
  return [...new Map([...round, ...given].map((guard) => [JSON.stringify(guard), guard])).values()].slice(0, MAX);
}

const REASONS: Record<keyof Bypass, string> = {
  abilities: "A call of the agent's tool bypassed the ability.",
  registry: "A call of the agent's tool would have changed what is registered.",
  decisions: "A call of the agent's tool is reserved for people.",
};

function short(text: string): string {
  return oneLine(text).slice(0, MAX_CHARACTERS);
}
