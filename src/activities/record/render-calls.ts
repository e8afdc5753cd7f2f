import type { Plan, PlanHook, PlanHooks } from '../../contracts/plan.js';
import type { CalledPlace, RecordedCall, RecordedStep, RecordedValue, TaskRecord } from '../../contracts/record.js';
import { markdownCode, markdownLine, showUnseenCharacters } from '../../rules/shown-text.js';

/** A Markdown section on the steps without calls; empty if the record lists none. Source: R-000-86. */
export function renderPlainSteps({ steps, steps_left_out: left = 0 }: TaskRecord): string[] {
  if (!steps) return [];
  const rest = left > 0 ? [`${left} more such steps are not listed.`] : [];
  return ['## Steps without calls', ...steps.map(renderStep), ...rest];
}

function renderStep({ path, verb, status, gave, error }: RecordedStep): string {
  const head = `${markdownCode(path)} (${verb}): ${status}`;
  if (error) return `${head} with ${markdownCode(error.code)}:\n\n${fence(error.message)}`;
  return gave ? `${head}, gave${renderValue(gave)}` : `${head}.`;
}

/** Markdown sections of calls' inputs and outputs; empty if the record lists none. Source: R-000-86. */
export function renderCalls({ calls, calls_left_out: left = 0 }: TaskRecord): string[] {
  if (!calls) return [];
  const rest = left > 0 ? [`${left} more calls are not listed; the history in Temporal has them.`] : [];
  return ['## Calls', ...calls.map(renderCall), ...rest];
}

function renderCall({ path, call, runs, given, gave, error }: RecordedCall): string {
  return [
    `### ${markdownCode(path)}: ${markdownCode(call)}`,
    renderPlace(runs),
    `Given${renderValue(given)}`,
    ...(gave ? [`Gave${renderValue(gave)}`] : []),
    ...(error ? [`Failed with ${markdownCode(error.code)}:\n\n${fence(error.message)}`] : []),
    ...(gave || error ? [] : ['It was cut before it ended.']),
  ].join('\n\n');
}

function renderPlace(runs: CalledPlace): string {
  switch (runs.kind) {
    case 'api':
      return `Request: ${markdownCode(`${runs.method} ${runs.url}`)}`;
    case 'mcp': {
      const pinned = runs.pinned === undefined ? '' : `, pinned as ${markdownLine(runs.pinned)}`;
      return `Tool: ${markdownCode(runs.tool)} of the MCP server ${markdownCode(runs.server)}${pinned}`;
    }
    case 'script':
      return `Script: ${markdownCode(runs.script)}, SHA-256 ${markdownLine(runs.digest)}`;
    case 'model':
      return `Model: ${markdownCode(runs.model)}${runs.digest === undefined ? '' : `, a program with SHA-256 ${markdownLine(runs.digest)}`}`;
    case 'workflow':
      return `Task: ${markdownCode(runs.task)}`;
  }
}

function renderValue(value: RecordedValue): string {
  if ('value' in value) return `:\n\n${json(value.value)}`;
  const { start, characters } = value;
  if (start === '') return `: ${characters} characters of JSON, left out.`;
  return `, the first ${start.length} of ${characters} characters of JSON:\n\n${fence(start)}`;
}

/** A Markdown section of the scripts that hooks run, with their digests; empty without such scripts. */
export function renderHookScripts({ ability, operations }: Plan): string[] {
  const hooks = [ability, ...Object.values(operations)].flatMap((owner) => allOf(owner.hooks));
  const lines = hooks.flatMap(({ id, handler }) =>
    handler.kind === 'script'
      ? [`- ${markdownCode(id)}: ${markdownCode(handler.script.path)}, SHA-256 ${handler.script.digest}`]
      : [],
  );
  return lines.length === 0 ? [] : [`## Scripts of hooks\n\n${[...new Set(lines)].join('\n')}`];
}

function allOf({ pre_create, pre_call, post_call }: PlanHooks): PlanHook[] {
  return [...pre_create, ...pre_call, ...post_call];
}

export function json(value: unknown): string {
  return fence(JSON.stringify(value, null, 2), 'json');
}

/** A Markdown block with a fence longer than any in the text, so that the text cannot close it. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${showUnseenCharacters(text)}\n${mark}`;
}
