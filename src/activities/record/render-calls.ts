import type { CalledPlace, RecordedCall, RecordedStep, RecordedValue, TaskRecord } from '../../contracts/record.js';
import { markdownCode, markdownLine } from '../../rules/shown-text.js';
import { fence, json } from './markdown-fence.js';

/** What became of the steps that call nothing, as a section of Markdown; none where the record lists none. Source: R-000-86. */
export function renderPlainSteps({ steps, steps_left_out: left = 0 }: TaskRecord): string[] {
  if (!steps) return [];
  const rest = left > 0 ? [`${left} more such steps are not listed.`] : [];
  return ['## Steps without calls', ...steps.map(renderStep), ...rest];
}

function renderStep({ path, verb, status, gave, error }: RecordedStep): string {
  const told = `${markdownCode(path)} (${verb}): ${status}`;
  if (error) return `${told} with ${markdownCode(error.code)}:\n\n${fence(error.message)}`;
  return gave ? `${told}, gave${tellValue(gave)}` : `${told}.`;
}

/** What each call was given and gave, as sections of Markdown; none where the record lists no calls. Source: R-000-86. */
export function renderCalls({ calls, calls_left_out: left = 0 }: TaskRecord): string[] {
  if (!calls) return [];
  const rest = left > 0 ? [`${left} more calls are not listed; the history in Temporal has them.`] : [];
  return ['## Calls', ...calls.map(renderCall), ...rest];
}

function renderCall({ path, call, runs, given, gave, error }: RecordedCall): string {
  return [
    `### ${markdownCode(path)}: ${markdownCode(call)}`,
    tellPlace(runs),
    `Given${tellValue(given)}`,
    ...(gave ? [`Gave${tellValue(gave)}`] : []),
    ...(error ? [`Failed with ${markdownCode(error.code)}:\n\n${fence(error.message)}`] : []),
    ...(gave || error ? [] : ['It was cut before it ended.']),
  ].join('\n\n');
}

function tellPlace(runs: CalledPlace): string {
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

function tellValue(value: RecordedValue): string {
  if ('value' in value) return `:\n\n${json(value.value)}`;
  const { start, characters } = value;
  if (start === '') return `: ${characters} characters of JSON, left out.`;
  return `, the first ${start.length} of ${characters} characters of JSON:\n\n${fence(start)}`;
}
