import type { Approval } from '../../contracts/approvals.js';
import type { TaskFile } from '../../contracts/files.js';
import type { Plan } from '../../contracts/plan.js';
import type {
  CalledPlace,
  RecordedCall,
  RecordedStep,
  RecordedValue,
  TaskRecord,
  ToolsUsed,
} from '../../contracts/record.js';
import type { InputChange, StepSummary, TaskResult } from '../../contracts/task.js';
import { kindOf } from '../../kinds/kinds.js';
import { describeConcurrency } from '../../rules/concurrency/describe-concurrency.js';
import { formatDuration } from '../../rules/duration.js';
import { foldAnswers } from '../../rules/hooks/fold-answers.js';
import { handlerKindOf, hooksOf } from '../../rules/hooks/handlers.js';
import { markdownCode, markdownLine, oneLine, showUnseenCharacters } from '../../rules/shown-text.js';
import { describeTurns } from '../../rules/steps/describe-items.js';
import { throughAgent } from '../../rules/tasks/persons.js';
import { describeChanges, describeRollback, shownEdits } from '../../rules/tasks/shown-approvals.js';

/** Maximum number of failures listed for one loop; a result has no more. */
const MAX_FAILURES = 20;

function requesterOf({ requested_by }: TaskRecord): string {
  return `${markdownLine(requested_by.name)} (${requested_by.source})${throughAgent(requested_by, markdownLine)}`;
}

/**
 * Renders `tool_call.md`: intent, parameters, configuration, result and errors of a task. Source: R-000-86, R-002-34.
 */
export function renderRecord(record: TaskRecord): string {
  const { plan, result } = record;
  const undone = result ? describeRollback(result) : undefined;
  const sections = [
    `# ${record.request.ability} · ${record.task_key}`,
    markdownLine(plan.ability.summary),
    table([
      ['Task key', record.task_key],
      ...(record.intent === undefined ? [] : ([['Intent', markdownLine(record.intent)]] as [string, string][])),
      ...(record.run === undefined ? [] : ([['Run', record.run]] as [string, string][])),
      ['Ability', `${plan.ability.id}, version ${plan.ability.version}`],
      ['Environment', plan.environment.name],
      ['Placement', plan.placement],
      ...(plan.concurrency ? ([['Turns', describeConcurrency(plan.concurrency)]] as [string, string][]) : []),
      ['Requested by', requesterOf(record)],
      ...(record.scope === undefined ? [] : ([['Scope', record.scope]] as [string, string][])),
      ...(record.caller === undefined ? [] : ([['Caller', record.caller]] as [string, string][])),
      ['Created', record.created_at],
      ...changesOf(record),
      ...(record.expires_at === undefined ? [] : ([['Removed after', record.expires_at]] as [string, string][])),
      ['Plan', record.plan_digest],
      ['Status', result ? result.status : 'created, not ended yet'],
      ...(undone === undefined ? [] : ([['Rolled back', markdownLine(undone)]] as [string, string][])),
      ...(result?.finished_at ? ([['Finished', result.finished_at]] as [string, string][]) : []),
    ]),
    `## Input\n\n${json(record.input)}`,
    `## Operations\n\n${operationsOf(record)}`,
    ...(record.warnings.length > 0 && !result ? [`## Warnings\n\n${list(record.warnings.map(markdownLine))}`] : []),
    ...(record.used ? [`## Tools used\n\n${usedOf(record.used)}`] : []),
    ...(result ? outcomeOf(result) : []),
    ...renderCalls(record),
    ...renderPlainSteps(record),
    ...renderHookScripts(plan),
  ];
  return `${sections.join('\n\n')}\n`;
}

function changesOf({ changes = [], changes_left: left = 0 }: TaskRecord): [string, string][] {
  const [first = [], ...later] = changes.map((change) => [changeOf(change)]);
  const more: [string, string][] = left > 0 ? [['Changed', `and ${left} more times`]] : [];
  return [...first, ...more, ...later.flat()];
}

function changeOf({ by, at, fields }: InputChange): [string, string] {
  return [
    'Changed',
    `${at} by ${markdownLine(by.name)} (${by.source}): ${markdownLine(fields.join(', ')) || 'its definitions'}`,
  ];
}

function operationsOf({ plan }: TaskRecord): string {
  const rows = Object.values(plan.operations).map(({ key, effects, implementation }) => {
    return [key, effects, implementation.id, implementation.kind];
  });
  return rowsOf(['Operation', 'Effect', 'Implementation', 'Kind'], rows);
}

function usedOf({ tools_used, outside_whitelist }: ToolsUsed): string {
  const tools = tools_used.length > 0 ? list(tools_used.map(markdownCode)) : 'None.';
  const outside =
    outside_whitelist.length > 0
      ? `**Called and not allowed:** ${markdownLine(outside_whitelist.join(', '))}`
      : 'The ability may call all of them.';
  return `${tools}\n\n${outside}`;
}

function outcomeOf(result: TaskResult): string[] {
  const hasTurns = result.steps.some(({ turns }) => turns !== undefined);
  const steps = result.steps.map(({ path, call, status, turns, attempts, duration_ms }) => {
    return [
      path,
      call ?? '',
      status,
      ...(hasTurns ? [String(turns ?? '')] : []),
      String(attempts),
      duration_ms === null ? '' : formatDuration(duration_ms),
    ];
  });
  const { folded, left } = foldAnswers(result.hooks);
  const hooks = folded.map(({ answer: { phase, hook_id, path, decision, status, reason, moment }, times }) => {
    const seen = moment === undefined || times > 1 ? '' : `, now() was ${moment}`;
    const said = `${status === 'error' ? 'failed' : decision}${times > 1 ? ` in ${times} turns` : ''}${seen}`;
    return [phase, hook_id, path || 'task', said, markdownLine(reason ?? '')];
  });
  if (left > 0) hooks.push(['...', '', '', `${left} more answers`, '']);
  const { error } = result;
  return [
    `## Steps\n\n${rowsOf(['Step', 'Call', 'Status', ...(hasTurns ? ['Turns'] : []), 'Attempts', 'Time'], steps)}`,
    ...loopsOf(result.steps),
    ...filesOf(result.files ?? []),
    ...(result.approvals.length > 0 ? [`## Approvals\n\n${result.approvals.map(approvalOf).join('\n')}`] : []),
    ...(hooks.length > 0 ? [`## Hooks\n\n${rowsOf(['Phase', 'Hook', 'Step', 'Answer', 'Reason'], hooks)}`] : []),
    ...(result.warnings.length > 0 ? [`## Warnings\n\n${list(result.warnings.map(markdownLine))}`] : []),
    ...(error
      ? [`## Error\n\n\`${error.code}\`${error.step ? ` in step \`${error.step}\`` : ''}\n\n${fence(error.message)}`]
      : []),
    `## Output\n\n${json(result.output)}`,
  ];
}

/** Lists whole digests, since the record may be all that remains. */
function filesOf(files: readonly TaskFile[]): string[] {
  if (files.length === 0) return [];
  const rows = files.map(({ step, name, file }) => {
    return [step || 'input', name, file.name, file.media_type, String(file.bytes), file.$file];
  });
  return [`## Files\n\n${rowsOf(['Step', 'Name', 'File', 'Type', 'Bytes', 'SHA-256'], rows)}`];
}

/** How the turns of each loop ended; one line for each failure, with the path of its log. */
function loopsOf(steps: readonly StepSummary[]): string[] {
  const lines = steps.flatMap((row) => {
    const described = row.items || row.failures ? describeTurns(row, MAX_FAILURES) : undefined;
    if (!described) return [];
    const failures = described.failures.map(({ text, failure }) => {
      const log =
        failure.task === undefined ? `log: ${markdownCode(failure.path)}` : `task: ${markdownCode(failure.task)}`;
      return `  ${markdownLine(text)} (${log})`;
    });
    return [
      `${markdownCode(row.path)}: ${markdownLine(described.head)}`,
      ...failures,
      ...(described.rest === '' ? [] : [`  ${described.rest}`]),
    ];
  });
  return lines.length === 0 ? [] : [`## Loops\n\n${list(lines)}`];
}

function approvalOf(approval: Approval): string {
  const { id, title, status, due_at, decisions, ignored } = approval;
  const ahead = due_at === undefined ? '' : `, asked ahead, due at ${due_at}`;
  const edits = shownEdits(approval).map(
    (edit) =>
      `changed by ${edit.by === 'unnamed' ? 'unnamed' : markdownLine(edit.by.name)}: ${markdownLine(describeChanges(edit))}`,
  );
  const who = decisions.map(({ decision, by, comment, self }) => {
    const name = by === 'unnamed' ? 'unnamed' : `${markdownLine(by.name)} (${by.source})`;
    return `${decision} by ${name}${self ? ', who asked for it' : ''}${comment ? `: ${markdownLine(comment)}` : ''}`;
  });
  const dropped = ignored.map(
    ({ by, decision, reason }) => `ignored: ${decision} by ${markdownLine(by ?? 'unnamed')} (${markdownLine(reason)})`,
  );
  return list([
    `\`${id}\` ${markdownLine(title)}: **${status}**${ahead}`,
    ...[...edits, ...who, ...dropped].map((text) => `  ${text}`),
  ]);
}

function table(rows: [string, string][]): string {
  return rowsOf(
    ['', ''],
    rows.map(([name, value]) => [name, value]),
  );
}

function rowsOf(head: string[], rows: string[][]): string {
  const line = (cells: string[]): string => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

/** Escapes text from people so that it cannot break out of its table cell. */
function cell(text: string): string {
  return oneLine(text).replaceAll(/(?<!\\)\|/g, '\\|');
}

function list(items: string[]): string {
  return items.map((item) => (item.startsWith('  ') ? `  - ${item.trim()}` : `- ${item}`)).join('\n');
}

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
  if (runs.kind === 'workflow') return `Task: ${markdownCode(runs.task)}`;
  return kindOf(runs).renderPlace(runs, { code: markdownCode, line: markdownLine });
}

function renderValue(value: RecordedValue): string {
  if ('value' in value) return `:\n\n${json(value.value)}`;
  const { start, characters } = value;
  if (start === '') return `: ${characters} characters of JSON, left out.`;
  return `, the first ${start.length} of ${characters} characters of JSON:\n\n${fence(start)}`;
}

/** A Markdown section of the scripts that hooks run, with their digests; empty without such scripts. */
export function renderHookScripts({ ability, operations }: Plan): string[] {
  const hooks = [ability, ...Object.values(operations)].flatMap((owner) => hooksOf(owner.hooks));
  const lines = hooks.flatMap(({ id, handler }) =>
    handlerKindOf(handler)
      .scripts(handler)
      .map(({ path, digest }) => `- ${markdownCode(id)}: ${markdownCode(path)}, SHA-256 ${digest}`),
  );
  return lines.length === 0 ? [] : [`## Scripts of hooks\n\n${[...new Set(lines)].join('\n')}`];
}

function json(value: unknown): string {
  return fence(JSON.stringify(value, null, 2), 'json');
}

/** A Markdown block with a fence longer than any in the text, so that the text cannot close it. */
export function fence(text: string, language = ''): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const mark = '`'.repeat(longest + 1);
  return `${mark}${language}\n${showUnseenCharacters(text)}\n${mark}`;
}
