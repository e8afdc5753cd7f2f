import { isJsonObject, type Json } from '../../../../contracts/json.js';
import { describeLifecycle } from '../../../../contracts/lifecycle.js';
import type {
  ApprovalPreview,
  CallPreview,
  HookPreview,
  PlanPreview,
  ScriptPreview,
  StepGroup,
  StepPreview,
  UndoPreview,
  ValuePreview,
} from '../../../../contracts/preview.js';
import { describeUnknown } from '../../../../rules/calls/call-defaults.js';
import { describeConcurrency } from '../../../../rules/concurrency/describe-concurrency.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { asTyped, type Typist } from '../../../../shown/typed-command.js';
import { describeProblem } from '../describe-problem.js';
import { whoDecides } from '../result/render-approval.js';
import type { Style } from '../terminal/terminal.js';

/** The maximum number of demands to name as reasons for the placement. */
const MAX_DEMANDS = 3;
const MAX_OF_A_COMMAND = 300;

export function renderPreview(preview: PlanPreview, style: Style, typist: Typist = { flags: {} }): string[] {
  const { ability, environment, creation, start, steps, on_error, problems } = preview;
  const lifecycle = describeLifecycle(ability);
  const kept = environment.protected ? ', which is protected' : '';
  const before = creation.flatMap(({ subject, hooks }) => hooks.map((hook) => `${hookLine(hook, style)} (${subject})`));
  return [
    `${style('bold', ability.id)} v${ability.version} in ${environment.name}${kept}`,
    oneLine(ability.summary),
    ...(lifecycle === undefined ? [] : [`status: ${lifecycle}`]),
    '',
    ...renderFacts(preview, style),
    ...section('before it is created', before, style),
    ...section('when it begins', guardLines(start, style), style),
    ...section('steps', renderPreviewSteps(steps, style), style),
    ...section('when a step fails', renderGroups(on_error, style), style),
    ...section('finally', renderPreviewSteps(preview.finally, style), style),
    ...section('output', preview.output ? valueLines(preview.output) : [], style),
    ...section('operations', renderOperations(preview), style),
    '',
    ...(problems.length > 0
      ? problems.map((problem) => `${style('red', 'unavailable')} ${describeProblem(problem)}`)
      : commandOf(preview, typist)),
  ];
}

function renderFacts(preview: PlanPreview, style: Style): string[] {
  const { limits, concurrency, digest, input, input_digest, tags, effects, pinned_at_creation: pinned } = preview;
  const calls = limits.max_calls === undefined ? '' : `, at most ${limits.max_calls} calls`;
  const stated = limits.cleanup_stated ? '' : ', and what its calls state';
  const turns = turnsOf(concurrency).map((text) =>
    concurrency?.problem ? `${text} (${concurrency.problem.message})` : text,
  );
  const work = `${formatDuration(limits.task_ms)} of work, ${formatDuration(limits.cleanup_ms)}`;
  const tools = `${pinned.join(', ')}: pinned when the task is created, as their servers describe them then`;
  const rows: [string, string][] = [
    ['plan', digest],
    ['input', `${shorten(JSON.stringify(input))} ${style('dim', input_digest.slice(0, 12))}`],
    ['asked by', oneLine(preview.requested_by)],
    ['effects', `${effects}${tags.length > 0 ? `, tagged ${tags.join(', ')}` : ''}`],
    ['placement', placementOf(preview)],
    ['limits', `${work} for \`undo\` and \`finally\`${stated}${calls}`],
    ...turns.map((text): [string, string] => ['turns', oneLine(text)]),
  ];
  if (pinned.length > 0) rows.push(['tools', tools]);
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${style('dim', name.padEnd(width))}  ${value}`);
}

function turnsOf(concurrency: PlanPreview['concurrency']): string[] {
  return concurrency ? [describeConcurrency({ ...concurrency, key: concurrency.key ?? concurrency.template })] : [];
}

/** What guards say, and whether people are asked. */
function guardLines({ hooks, approval }: PlanPreview['start'], style: Style): string[] {
  return [...hooks.map((hook) => hookLine(hook, style)), ...(approval ? [approvalLine(approval, style)] : [])];
}

function placementOf({ placement: { where, queue, explicit, demands } }: PlanPreview): string {
  const local = demands.filter((demand) => demand.placement !== 'cloud');
  const names = local.map(({ ability, tool }) => (tool === null ? ability : `${ability} (${tool})`));
  const more = names.length > MAX_DEMANDS ? ` and ${names.length - MAX_DEMANDS} more` : '';
  const demanded = `these have to be local: ${names.slice(0, MAX_DEMANDS).join(', ')}${more}`;
  const why = local.length > 0 ? demanded : 'nothing it may call has to be local';
  return `${where}, on the queue ${queue}; ${explicit ? `set explicitly; ${why}` : why}`;
}

function renderOperations({ operations }: PlanPreview): string[] {
  const width = Math.max(0, ...operations.map(({ key }) => key.length));
  return operations.flatMap(({ key, does, tags, credentials, prompts, rate_limit, fast, ...operation }) => {
    const about = [
      `${operation.kind} ${operation.implementation} of v${operation.version}`,
      `${formatDuration(operation.timeout_ms)} an attempt`,
      ...(tags.length > 0 ? [tags.join(', ')] : []),
      ...(fast ? ['in the workflow worker'] : []),
      ...(rate_limit?.per_minute ? [`at most ${rate_limit.per_minute} a minute`] : []),
      ...(rate_limit?.per_day ? [`at most ${rate_limit.per_day} a day`] : []),
      ...(prompts.length > 0 ? [`prompts ${prompts.join(', ')}`] : []),
    ];
    const pad = ' '.repeat(width + 2);
    return [
      `${key.padEnd(width)}  ${oneLine(does)}`,
      `${pad}${about.join('; ')}`,
      ...credentials.map(
        ({ reference, what, is_set }) => `${pad}needs the ${what}, ${reference}: ${SET[String(is_set)]}`,
      ),
    ];
  });
}

const SET: Readonly<Record<string, string>> = { true: 'set', false: 'not set', null: 'read by workers' };

function commandOf({ ability, environment, input, reference }: PlanPreview, typist: Typist): string[] {
  const json = JSON.stringify(input);
  const given = json.length > MAX_OF_A_COMMAND ? '@FILE' : `'${json.replaceAll("'", "'\\''")}'`;
  const command = `ability run ${ability.id} --env ${environment.name} --input ${oneLine(given)} --plan ${reference}`;
  return ['To run this and nothing else:', `  ${asTyped(command, typist)}`];
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style('bold', title), ...lines.map((line) => `  ${line}`)];
}

/** Groups whose name adds nothing to their step. */
const UNNAMED = new Set(['steps', 'parallel', 'race']);

function renderPreviewSteps(steps: readonly StepPreview[], style: Style): string[] {
  return steps.flatMap((step) => renderStep(step, style));
}

function renderGroups(groups: readonly StepGroup[], style: Style): string[] {
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
  const { effects, attempts, retry, limit_ms, input_problem: problem, workflow, kind } = call;
  const given = valueLines({ ...call.with, problem: null });
  const isEmpty = given.length === 1 && given[0] === '{}';
  const limit = limit_ms === null ? '' : `, ${formatDuration(limit_ms)} for all of it`;
  const often = attempts === 1 || attempts === null ? 'one attempt' : `at most ${attempts} attempts${pauseOf(retry)}`;
  return [
    ...(isEmpty ? [] : ['with', ...indented(given)]),
    ...(problem ? [`${style('red', 'fails')}: ${problem.code} ${oneLine(problem.message)}`] : []),
    ...(call.script && !problem ? renderScript(call.script, style) : []),
    kind === 'workflow' ? `${effects}; a task of its own` : `${effects}; ${often}${limit}`,
    ...(call.unknown ? [describeUnknown(call.unknown)] : []),
    ...guardLines(call, style),
    ...(workflow ? renderWorkflow(workflow, style) : []),
    ...(kind === 'workflow' && !workflow ? ['its steps: see `ability plan` of it'] : []),
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
  const { steps, on_error, finally: cleanup, concurrency } = workflow;
  return [
    ...turnsOf(concurrency).map(oneLine),
    ...guardLines(workflow, style),
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

const MAX_CHARACTERS = 300;

const WORDS = { allow: 'allows', deny: 'denies', need_user_confirm: 'asks people' } as const;
const COLORS = { allow: 'green', deny: 'red', need_user_confirm: 'yellow' } as const;

function hookLine(hook: HookPreview, style: Style): string {
  const { id, decision, status, reason, asks, depends_on, phase, handler, warnings } = hook;
  const when = phase === 'PostAbilityCall' ? 'after it, ' : '';
  const warned = warnings.length > 0 ? `; warns: ${warnings.map((text) => oneLine(text)).join('; ')}` : '';
  if (asks !== null) return `${when}hook ${id}: ${style('cyan', 'runs then')}, not now (${handler} ${oneLine(asks)})`;
  if (decision === null)
    return `${when}hook ${id}: ${style('cyan', 'not known yet')}, depends on ${depends_on.join(', ')}${warned}`;
  const isPlain = reason === null || (decision === 'allow' && status === 'ok');
  const because = isPlain ? '' : `: ${status === 'error' ? 'it fails: ' : ''}${oneLine(reason)}`;
  return `${when}hook ${id} ${style(COLORS[decision], WORDS[decision])}${because}${warned}`;
}

function approvalLine(approval: ApprovalPreview, style: Style): string {
  const { asked, reasons, quorum, self_approval, expires, comment, fields } = approval;
  const asks = asked === 'yes' ? style('yellow', 'asks people') : style('cyan', 'may ask people');
  const filled = Object.keys(fields);
  const more = [
    `${quorum} of ${whoDecides(approval)} ${quorum === 1 ? 'decides' : 'decide'}`,
    self_approval ? 'also the requester' : 'not the requester',
    `no answer within ${oneLine(expires)} is a denial`,
    ...(comment === 'required' ? ['with a comment'] : comment === 'on_deny' ? ['a denial with a comment'] : []),
    ...(filled.length > 0 ? [`fills in ${filled.join(', ')}`] : []),
  ];
  const why = reasons.length > 0 ? `${reasons.map((reason) => oneLine(reason)).join(' ')} ` : '';
  return `${asks}: ${why}${more.join('; ')}`;
}

/** One line per member; members that depend on the run appear as written. */
function valueLines({ value, open, problem }: ValuePreview): string[] {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  const own = members.map(([key, item]) => `${oneLine(key)}: ${itemOf(item, open[key])}`);
  const lines = own.length > 0 ? own : [itemOf(value, open[''])];
  return problem ? [...lines, `fails: ${problem.code} ${oneLine(problem.message)}`] : lines;
}

/** A value on one line; `--json` has all of it. */
function shorten(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}... (${text.length} characters)` : line;
}

function itemOf(value: Json, depends: readonly string[] | undefined): string {
  const text = shorten(typeof value === 'string' ? value : JSON.stringify(value));
  return depends ? `${text}  <- depends on ${depends.join(', ')}` : text;
}
