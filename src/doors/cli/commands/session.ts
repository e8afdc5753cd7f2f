import type { SeenSession } from '../../../client/index.js';
import { usageError } from '../../../contracts/problem.js';
import type { ToolAnswer, TurnContext } from '../../../contracts/session.js';
import { isDuration, parseDuration } from '../../../rules/duration.js';
import { MAX_PROMPT } from '../../../rules/sessions/read-session-start.js';
import { oneLine } from '../../../rules/shown-text.js';
import { asTyped, commandOf } from '../../../shown/typed-command.js';
import { defined } from '../../../text/defined.js';
import { counted } from '../output/plain-text.js';
import type { SessionFlags } from '../program/agent-tools.js';
import { type Context, environmentGiven, printAnswer } from '../program/context.js';
import { withProject } from '../program/project-client.js';
import { scopeIn } from '../program/project-operations.js';

export async function start(context: Context, _: [], { id, scope, idle }: SessionFlags['start']): Promise<void> {
  refuseIdle(idle);
  const { terminal } = context;
  const started = await withProject(context, (project) => {
    const given = { id, environment: environmentGiven(context), scope: scopeIn(project, context, scope) };
    return project.call('startSession', { idle, ...defined(given) });
  });
  const { session_id, attached } = started;
  printAnswer(context, started, () => session_id);
  if (context.flags.json) return;
  const next = commandOf('ability', 'session', 'prompt', session_id, 'TEXT');
  terminal.note(asTyped(`${attached ? 'There already. ' : ''}Go on with: ${next}`, context));
}

function refuseIdle(text: string): void {
  if (isDuration(text) && parseDuration(text) > 0) return;
  throw usageError(`--idle ${text} is no duration`, 'Use for example 24h or 30m.');
}

/** `ability session prompt SESSION TEXT|-`: runs the hooks of a prompt, prints what an AI reads first. */
export async function prompt(context: Context, [id, text]: [string, string]): Promise<void> {
  const given = text === '-' ? context.terminal.readInput() : text;
  if (given.length > MAX_PROMPT) {
    const message = `The prompt has ${given.length} characters; the maximum is ${MAX_PROMPT}`;
    throw usageError(message, 'Put long content into a file of the project.');
  }
  const turn = await withProject(context, (project) => project.call('promptSession', { id, prompt: given }));
  printAnswer(context, turn, () => renderTurn(turn).join('\n'));
}

export const show = showing('showSession');

/** `ability session stop SESSION`: ends a session with its hooks; its open tasks continue. */
export const stop = showing('stopSession');

function showing(name: 'showSession' | 'stopSession') {
  return async (context: Context, [id]: [string]): Promise<void> => {
    const seen = await withProject(context, (project) => project.call(name, { id }));
    printAnswer(context, seen, () => renderSession(seen).join('\n'));
  };
}

export function renderTurn({ session_id, turn_index, hook_signals }: TurnContext): string[] {
  const { routing_hints, ability_guards, risk_alerts, normalized_intent } = hook_signals;
  const lines = [
    ...(normalized_intent === undefined ? [] : [`intent  ${oneLine(JSON.stringify(normalized_intent))}`]),
    ...routing_hints.map(({ hint, source }) => `prefer  ${oneLine(hint)} (${source})`),
    ...ability_guards.map(({ ability_id, decision, reason, suggestion, source }) => {
      const advice = suggestion === undefined ? '' : ` ${oneLine(suggestion)}`;
      return `guard   ${oneLine(ability_id)}: ${decision}. ${oneLine(reason)}${advice} (${source})`;
    }),
    ...risk_alerts.map((alert) => `risk    ${oneLine(alert)}`),
  ];
  return [`turn ${turn_index} of ${session_id}`, ...lines.map((line) => `  ${line}`)];
}

const CUT: ReadonlySet<string> = new Set(['terminated', 'failed', 'timed_out', 'cancelled']);

export function renderSession(seen: SeenSession): string[] {
  const {
    session_id,
    status,
    reason,
    environment,
    scope,
    user,
    turn_index,
    turn_context,
    counts,
    raised = {},
    tasks,
  } = seen;
  const why = reason === null ? '' : ` (${reason})`;
  const some = Object.entries(counts).flatMap(([name, count]) => (count > 0 ? [`${name} ${count}`] : []));
  const refusals = status === 'refused' ? seen.hooks.filter(({ decision }) => decision !== 'allow') : [];
  const answers = [...seen.hooks, ...seen.stop_hooks];
  const failures = answers.filter((answer) => answer.status === 'error');
  return [
    `${session_id}  ${status}${why} in ${environment}, ${scope}, for ${oneLine(user.name)}; ${counted(turn_index, 'turn')}`,
    ...refusals.map((answer) => `  The hook ${answer.hook_id} did not let it start: ${oneLine(answer.reason ?? '')}`),
    ...(CUT.has(status) ? ['  It was ended from outside, so no SessionStop hook could run.'] : []),
    ...tasks.map((task) => `  task ${task.task_key}  ${task.ability_id}  ${task.status}`),
    ...(counts.total > 0 ? [`  calls ${some.join(', ')}`] : []),
    ...Object.entries(raised).map(
      ([hook, by]) => `  limit ${hook} raised by ${Object.values(by).reduce((sum, one) => sum + one, 0)}`,
    ),
    ...(seen.tool_answers ?? []).map(toolLine),
    ...seen.unknown_signals.map(({ at, hook, name, value }) => {
      return `  unknown signal ${oneLine(name)} of ${hook}, ${at}: ${oneLine(JSON.stringify(value))}`;
    }),
    ...failures.map(
      ({ phase, hook_id, reason: text = '' }) => `  the hook ${hook_id} of ${phase} failed: ${oneLine(text)}`,
    ),
    // What stops nothing: `warn_if`, and keys of an answer that are not read.
    ...answers.flatMap(({ phase, hook_id, warnings = [] }) =>
      warnings.map((warning) => `  the hook ${hook_id} of ${phase} warns: ${oneLine(warning)}`),
    ),
    ...(turn_context ? renderTurn(turn_context).map((line) => `  ${line}`) : []),
  ];
}

function toolLine({ at, tool, name, decision, guards }: ToolAnswer): string {
  const why = guards
    .filter((guard) => guard.decision === decision)
    .map(({ ability_id, source }) => `${ability_id} (${source})`);
  return `  tool ${oneLine(name)} of ${oneLine(tool)}, ${at}: ${decision}, ${oneLine(why.join(', '))}`;
}
