import { describeLifecycle } from '../../../../contracts/lifecycle.js';
import type { PlanPreview } from '../../../../contracts/preview.js';
import { describeConcurrency } from '../../../../rules/concurrency/describe-concurrency.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { describeProblem } from '../describe-problem.js';
import type { Style } from '../terminal/terminal.js';
import { asTyped, type Typist } from '../typed-command.js';
import { approvalLine, hookLine, shorten, valueLines } from './render-parts.js';
import { renderGroups, renderPreviewSteps } from './render-tree.js';

/** The maximum number of demands to name as reasons for the placement. */
const MAX_DEMANDS = 3;
const MAX_OF_A_COMMAND = 300;

export function renderPreview(preview: PlanPreview, style: Style, typist: Typist = { flags: {} }): string[] {
  const { ability, environment, creation, start, steps, on_error, problems } = preview;
  const lifecycle = describeLifecycle(ability);
  const kept = environment.protected ? ', which is protected' : '';
  return [
    `${style('bold', ability.id)} v${ability.version} in ${environment.name}${kept}`,
    oneLine(ability.summary),
    ...(lifecycle === undefined ? [] : [`status: ${lifecycle}`]),
    '',
    ...renderFacts(preview, style),
    ...section(
      'before it is created',
      creation.flatMap(({ subject, hooks }) => hooks.map((hook) => `${hookLine(hook, style)} (${subject})`)),
      style,
    ),
    ...section(
      'when it begins',
      [
        ...start.hooks.map((hook) => hookLine(hook, style)),
        ...(start.approval ? [approvalLine(start.approval, style)] : []),
      ],
      style,
    ),
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
  const turns = concurrency && describeConcurrency({ ...concurrency, key: concurrency.key ?? concurrency.template });
  const rows: [string, string][] = [
    ['plan', digest],
    ['input', `${shorten(JSON.stringify(input))} ${style('dim', input_digest.slice(0, 12))}`],
    ['asked by', oneLine(preview.requested_by)],
    ['effects', `${effects}${tags.length > 0 ? `, tagged ${tags.join(', ')}` : ''}`],
    ['placement', placementOf(preview)],
    [
      'limits',
      `${formatDuration(limits.task_ms)} of work, ${formatDuration(limits.cleanup_ms)} for the clean-up${stated}${calls}`,
    ],
    ...(turns
      ? ([['turns', oneLine(concurrency.problem ? `${turns} (${concurrency.problem.message})` : turns)]] as [
          string,
          string,
        ][])
      : []),
    ...(pinned.length > 0
      ? ([['tools', `${pinned.join(', ')}: pinned when the task is created, as their servers describe them then`]] as [
          string,
          string,
        ][])
      : []),
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${style('dim', name.padEnd(width))}  ${value}`);
}

function placementOf({ placement: { where, queue, explicit, demands } }: PlanPreview): string {
  const local = demands.filter((demand) => demand.placement === 'local');
  const named = local
    .slice(0, MAX_DEMANDS)
    .map(({ ability, tool }) => (tool === null ? ability : `${ability} (${tool})`));
  const more = local.length > named.length ? ` and ${local.length - named.length} more` : '';
  const why =
    local.length > 0 ? `these have to be local: ${named.join(', ')}${more}` : 'nothing it may call has to be local';
  return `${where}, on the queue ${queue}; ${explicit ? `set explicitly; ${why}` : why}`;
}

function renderOperations({ operations }: PlanPreview): string[] {
  const width = Math.max(0, ...operations.map(({ key }) => key.length));
  return operations.flatMap((operation) => {
    const { key, does, implementation, kind, tags, timeout_ms, credentials, prompts, rate_limit, fast, version } =
      operation;
    const about = [
      `${kind} ${implementation} of v${version}`,
      `${formatDuration(timeout_ms)} an attempt`,
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
        ({ reference, what, is_set }) => `${pad}needs the ${what}, ${reference}: ${is_set ? 'set' : 'not set'}`,
      ),
    ];
  });
}

function commandOf({ ability, environment, input, reference }: PlanPreview, typist: Typist): string[] {
  const json = JSON.stringify(input);
  const given = json.length > MAX_OF_A_COMMAND ? '@FILE' : `'${json.replaceAll("'", "'\\''")}'`;
  const command = `ability run ${ability.id} --env ${environment.name} --input ${oneLine(given)} --plan ${reference}`;
  return ['To run this and nothing else:', `  ${asTyped(command, typist)}`];
}

function section(title: string, lines: readonly string[], style: Style): string[] {
  return lines.length === 0 ? [] : ['', style('bold', title), ...lines.map((line) => `  ${line}`)];
}
