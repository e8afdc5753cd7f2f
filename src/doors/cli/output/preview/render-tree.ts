import type { CallPreview, ScriptPreview, StepGroup, StepPreview, UndoPreview } from '../../../../contracts/preview.js';
import { describeConcurrency } from '../../../../rules/concurrency/describe-concurrency.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine } from '../../../../rules/shown-text.js';
import type { Style } from '../terminal/terminal.js';
import { approvalLine, hookLine, valueLines } from './render-parts.js';

/** Groups whose name adds nothing to their step. */
const UNNAMED = new Set(['steps', 'parallel', 'race']);

export function renderPreviewSteps(steps: readonly StepPreview[], style: Style): string[] {
  return steps.flatMap((step) => renderStep(step, style));
}

export function renderGroups(groups: readonly StepGroup[], style: Style): string[] {
  return groups.flatMap((group) => [headOf(group, style), ...indented(renderPreviewSteps(group.steps, style))]);
}

function renderStep(step: StepPreview, style: Style): string[] {
  const { id, verb, runs, because, call, approval, foreach, value, undo, groups } = step;
  const verbs = verb === 'steps' ? 'group' : verb;
  const what = step.what === '' ? '' : ` ${oneLine(step.what)}`;
  const head = `${markOf(runs, style)} ${id}  ${style('dim', verbs)}${what}`;
  if (runs === 'no') return [`${head}  ${style('dim', `skipped: ${oneLine(because ?? '')}`)}`];
  const details = [
    ...(because ? [`only if ${oneLine(because)}`] : []),
    ...(foreach ? [itemsOf(foreach)] : []),
    ...(approval ? [approvalLine(approval, style)] : []),
    ...(value ? valueLines(value) : []),
    ...(call ? renderCall(call, style) : []),
    ...(step.timeout && verb !== 'call' ? [`within ${step.timeout}`] : []),
    ...(undo ? renderUndo(undo, style) : []),
    ...(step.may_be_cut ? ['may be cut while it runs, and then counts as cancelled'] : []),
    ...(step.continue_on_error ? ['a failure does not stop what follows'] : []),
  ];
  const [only, another] = groups;
  const isPlain = only && !another && UNNAMED.has(only.name);
  const inner = isPlain ? renderPreviewSteps(only.steps, style) : renderGroups(groups, style);
  return [head, ...indented([...details, ...inner], 4)];
}

function renderUndo({ call, effects, with: given, approval, covered }: UndoPreview, style: Style): string[] {
  const may = covered === 'maybe' ? 'covered by the approval of its call, if there is one; else ' : '';
  const asks = covered === 'yes' ? 'covered by the approval of its call' : `${may}nobody is asked`;
  const who = approval ? approvalLine(approval, style) : asks;
  return [`undone by ${call}, ${effects}; ${who}`, ...indented(valueLines(given))];
}

function renderCall(call: CallPreview, style: Style): string[] {
  const { effects, attempts, retry, limit_ms, hooks, approval, input_problem: problem, workflow, kind } = call;
  const given = valueLines({ ...call.with, problem: null });
  const isEmpty = given.length === 1 && given[0] === '{}';
  const limit = limit_ms === null ? '' : `, ${formatDuration(limit_ms)} for all of it`;
  const often = attempts === 1 || attempts === null ? 'one attempt' : `at most ${attempts} attempts${pauseOf(retry)}`;
  return [
    ...(isEmpty ? [] : ['with', ...indented(given)]),
    ...(problem ? [`${style('red', 'fails')}: ${problem.code} ${oneLine(problem.message)}`] : []),
    ...(call.script && !problem ? renderScript(call.script, style) : []),
    kind === 'workflow' ? `${effects}; a task of its own` : `${effects}; ${often}${limit}`,
    ...hooks.map((hook) => hookLine(hook, style)),
    ...(approval ? [approvalLine(approval, style)] : []),
    ...(workflow
      ? renderWorkflow(workflow, style)
      : kind === 'workflow'
        ? ['its steps: see `ability plan` of it']
        : []),
  ];
}

/** Quotes each word to show where it begins and ends; cuts long texts. */
function renderScript({ command, stdin, env, depends_on, problem }: ScriptPreview, style: Style): string[] {
  if (problem) return [`${style('red', 'fails')}: ${problem.code} ${oneLine(problem.message)}`];
  if (!command) return [`runs with arguments that depend on ${depends_on.join(', ')}`];
  const variables = Object.entries(env).map(([name, text]) => `${name}=${shownWord(text)}`);
  return [
    `runs ${command.map(shownWord).join(' ')}`,
    ...(variables.length > 0 ? [`env ${variables.join(' ')}`] : []),
    ...(stdin === null ? [] : [`stdin ${shownWord(stdin)}`]),
  ];
}

const MAX_SHOWN = 200;

function shownWord(text: string): string {
  const short = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}... (${text.length} characters)` : text;
  return /^[\w@%+=:,./{}-]+$/.test(short) ? short : JSON.stringify(short);
}

function renderWorkflow(workflow: NonNullable<CallPreview['workflow']>, style: Style): string[] {
  const { hooks, approval, steps, on_error, finally: cleanup, concurrency } = workflow;
  const turns = concurrency
    ? [describeConcurrency({ ...concurrency, key: concurrency.key ?? concurrency.template })]
    : [];
  return [
    ...turns.map((line) => oneLine(line)),
    ...hooks.map((hook) => hookLine(hook, style)),
    ...(approval ? [approvalLine(approval, style)] : []),
    ...renderPreviewSteps(steps, style),
    ...renderGroups(on_error, style),
    ...(cleanup.length > 0 ? ['finally', ...indented(renderPreviewSteps(cleanup, style))] : []),
  ];
}

function pauseOf(retry: CallPreview['retry']): string {
  if (!retry) return '';
  const errors = retry.errors ? `, for ${retry.errors.join(', ')}` : '';
  const jitter = retry.jitter ? ', with jitter' : '';
  const condition = retry.if === undefined ? '' : `, while ${oneLine(retry.if)}`;
  return ` (${retry.first} apart, times ${retry.factor}, up to ${retry.max}${jitter}${errors}${condition})`;
}

function itemsOf({ items, depends_on, problem, max_parallel }: NonNullable<StepPreview['foreach']>): string {
  const how = max_parallel === 1 ? 'one after the other' : `${max_parallel} at once`;
  if (problem) return `fails: ${problem.code} ${oneLine(problem.message)}`;
  if (items === null) return `for each item, ${how}; how many depends on ${depends_on.join(', ')}`;
  return items === 1 ? 'for 1 item' : `for ${items} items, ${how}`;
}

function headOf({ name, if: condition, runs }: StepGroup, style: Style): string {
  const onlyIf = condition ? ` if ${oneLine(condition.expression)}` : '';
  const depends = condition && condition.depends_on.length > 0 ? `, depends on ${condition.depends_on.join(', ')}` : '';
  return runs === 'no' ? `${name}${onlyIf}  ${style('dim', 'skipped')}` : `${name}${onlyIf}${depends}`;
}

function markOf(runs: StepPreview['runs'], style: Style): string {
  return runs === 'yes' ? style('green', '▸') : runs === 'maybe' ? style('cyan', '?') : style('dim', '-');
}

function indented(lines: readonly string[], by = 2): string[] {
  return lines.map((line) => ' '.repeat(by) + line);
}
