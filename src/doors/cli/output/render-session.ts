import type { SeenSession } from '../../../client/index.js';
import type { HookAnswer } from '../../../contracts/hooks.js';
import type { ToolAnswer, TurnContext } from '../../../contracts/session.js';
import { oneLine } from '../../../rules/shown-text.js';
import { counted } from './plain-text.js';

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

export function renderSession(seen: SeenSession): string[] {
  const { session_id, status, reason, environment, scope, user, turn_index, turn_context, counts, tasks } = seen;
  const why = reason === null ? '' : ` (${reason})`;
  return [
    `${session_id}  ${status}${why} in ${environment}, ${scope}, for ${oneLine(user.name)}; ${counted(turn_index, 'turn')}`,
    ...(status === 'refused' ? seen.hooks.filter(({ decision }) => decision !== 'allow').map(refusalOf) : []),
    ...(isCut(status) ? ['  It was ended from outside, so no SessionStop hook could run.'] : []),
    ...tasks.map((task) => `  task ${task.task_key}  ${task.ability_id}  ${task.status}`),
    ...(counts.total > 0 ? [`  calls ${countsOf(seen)}`] : []),
    ...(seen.tool_answers ?? []).map(toolLine),
    ...seen.unknown_signals.map(({ at, hook, name, value }) => {
      return `  unknown signal ${oneLine(name)} of ${hook}, ${at}: ${oneLine(JSON.stringify(value))}`;
    }),
    ...[...seen.hooks, ...seen.stop_hooks].filter(({ status: how }) => how === 'error').map(failureOf),
    ...[...seen.hooks, ...seen.stop_hooks].flatMap(warningsOf),
    ...(turn_context ? renderTurn(turn_context).map((line) => `  ${line}`) : []),
  ];
}

function isCut(status: SeenSession['status']): boolean {
  return ['terminated', 'failed', 'timed_out', 'cancelled'].includes(status);
}

function countsOf({ counts }: SeenSession): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([name, count]) => `${name} ${count}`).join(', ');
}

function toolLine({ at, tool, name, decision, guards }: ToolAnswer): string {
  const why = guards
    .filter((guard) => guard.decision === decision)
    .map(({ ability_id, source }) => `${ability_id} (${source})`);
  return `  tool ${oneLine(name)} of ${oneLine(tool)}, ${at}: ${decision}, ${oneLine(why.join(', '))}`;
}

function refusalOf({ hook_id, reason = '' }: HookAnswer): string {
  return `  The hook ${hook_id} did not let it start: ${oneLine(reason)}`;
}

function failureOf({ phase, hook_id, reason = '' }: HookAnswer): string {
  return `  the hook ${hook_id} of ${phase} failed: ${oneLine(reason)}`;
}

/** Warnings that stop nothing: `warn_if`, and keys of an answer that are not read. */
function warningsOf({ phase, hook_id, warnings = [] }: HookAnswer): string[] {
  return warnings.map((warning) => `  the hook ${hook_id} of ${phase} warns: ${oneLine(warning)}`);
}
