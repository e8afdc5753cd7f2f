import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Json } from '../../contracts/json.js';
import type { AbilityGuard } from '../../contracts/session.js';
import { oneLine } from '../../rules/shown-text.js';
import { attempt } from '../../text/attempt.js';
import { askAbility, type GuardAnswer, type GuardContext, mappedAbilities } from './ask-guards.js';
import { type Finding, roundAbility } from './finding.js';
import { type FormOfCall, filesNamedIn, formsOfCall, readsOnly } from './forms-of-call.js';
import type { Bypass } from './guard-index.js';
import type { Registered } from './judge-argv.js';
import { judgeShell } from './judge-shell.js';
import { findKept } from './kept-keys.js';
import { findDecisionInText } from './own-commands.js';
import type { Verdict } from './print-answer.js';
import { Places } from './protected-places.js';
import type { AgentCall } from './read-event.js';
import { RegisteredEndpoints } from './registered-endpoints.js';
import { RegisteredScripts } from './registered-scripts.js';
import { type FoundTool, registeredTool } from './registered-tools.js';
import { markedGlob } from './shell/marks.js';
import { isFolder } from './words.js';

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
  const tool = registeredTool(call, index.tools, root);
  const findings = [
    ...(tool ? [roundMcpTool(call.name, tool)] : []),
    ...forms.flatMap((form) => judgeForm(call, form, call.cwd ?? root, registered)),
  ];
  if (forms.some(({ tool_name }) => index.unreadableTools.includes(tool_name))) {
    findings.push({
      about: 'abilities',
      what: `A file of hooks cannot be read, and may guard ${call.name}`,
      instead: 'Correct it; `ability lint` shows where it is wrong.',
    });
  }
  const mapped = await mappedAbilities(forms, context);
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

/** Finds bypasses of the runtime in one form of a call. Source: docs/hooks.md#guarding-the-calls-of-agent-tools. */
function judgeForm(
  call: AgentCall,
  { tool_name, tool_input }: FormOfCall,
  cwd: string,
  registered: Registered,
): Finding[] {
  if (tool_name === 'Bash') {
    const { command, workdir, dir_path: folder, cwd: own } = tool_input;
    const at = [workdir, folder, own].find((value): value is string => typeof value === 'string');
    return judgeShell(String(command), at === undefined ? cwd : resolve(cwd, at), registered);
  }
  const found: (Finding | undefined)[] = [];
  const { places } = registered;
  // Of a tool of a server, any text may be a path.
  const texts = /__|:/.test(call.name) ? textsIn(tool_input).filter((text) => /^\S{1,1024}$/.test(text)) : [];
  const files = [...filesNamedIn(tool_input), ...texts].map(pathOf);
  const isWhole = /^Delete$|delete|remove|move|rename/i.test(call.name);
  if (!READS.test(tool_name) && !readsOnly(call.name))
    found.push(...files.map((file) => places.refuse(resolve(cwd, file), isWhole)));
  const folders = [cwd, ...files.map((file) => resolve(cwd, file)).filter(isFolder)];
  const patterns = /^(Grep|Glob)$/.test(tool_name) ? [tool_input.pattern, tool_input.glob, tool_input.include] : [];
  const globs = patterns.filter((text) => typeof text === 'string').map(markedGlob);
  found.push(findKept([tool_name, ...files, ...(tool_name === 'Grep' ? globs.slice(1) : globs)], folders, places));
  if (tool_name === 'Grep' && !places.ignoresState())
    found.push(findKept(['grep', '-r', ...(files.length > 0 ? files : ['.'])], [cwd], places));
  for (const file of files) found.push(findDecisionInText(resolve(cwd, file)));
  if (tool_name === 'apply_patch') found.push(...judgeShell(String(tool_input.command), cwd, registered));
  // Fetching an address counts as a call.
  if (/fetch|http|browse|navigate|request/i.test(call.name)) {
    for (const text of textsIn(tool_input)) found.push(registered.endpoints.find(text, ''));
  }
  return found.filter((finding) => finding !== undefined);
}

/** The tools of agents themselves that only read files, or name none. */
const READS = /^(Read|Grep|Glob|LS|NotebookRead|WebFetch|WebSearch|Task|Agent|Todo\w*|Skill)$/;

function roundMcpTool(name: string, { ability, tool, isCertain }: FoundTool): Finding {
  if (isCertain) return roundAbility(`${name} is the MCP tool`, ability);
  const finding = roundAbility(`${name} has the name of the MCP tool ${tool}, and counts as that`, ability);
  const advice = 'Where its server is another one, a person can name that server in `.mcp.json` of the project.';
  return { ...finding, instead: `${finding.instead} ${advice}` };
}

function pathOf(text: string): string {
  return attempt(() => (text.startsWith('file://') ? fileURLToPath(text) : text), text);
}

function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
