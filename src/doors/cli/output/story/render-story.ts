import type { AgentUsage } from '../../../../contracts/agent.js';
import type { JsonObject } from '../../../../contracts/json.js';
import type { PlanAgentLimits } from '../../../../contracts/plan.js';
import { isEndState } from '../../../../contracts/states.js';
import type { StoryAgent, StoryOperation, TaskStory } from '../../../../contracts/story.js';
import { describeConcurrency, describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { formatDuration } from '../../../../rules/duration.js';
import { oneLine, versionedName } from '../../../../rules/shown-text.js';
import { throughAgent } from '../../../../rules/tasks/persons.js';
import { describeRollback } from '../../../../rules/tasks/shown-approvals.js';
import type { NextCommand } from '../../../../shown/next-commands.js';
import { asTyped, type Typist } from '../../../../shown/typed-command.js';
import { formatMoment } from '../format-time.js';
import { counted, cut, firstLine, plainText } from '../plain-text.js';
import { describeFiles, renderInputChanges } from '../result/render-result.js';
import type { Style } from '../terminal/terminal.js';
import { renderEvents } from './render-story-steps.js';

const DIGEST_SHOWN = 12;
const MAX_OF_A_VALUE = 200;

/**
 * Renders a task as a story: its state and the reason, then from the request to the next commands.
 * @param page its address on the page, or the command that opens it there.
 */
export function renderStory(
  story: TaskStory,
  next: readonly NextCommand[],
  style: Style,
  typist: Typist = { flags: {} },
  page?: string,
): string {
  const sections: [string, string[]][] = [
    ['Asked', renderRequest(story)],
    ['Resolved', renderResolution(story, style)],
    ['What happened', renderEvents(story, style, typist)],
    ['End', renderEnd(story, style, typist)],
    ['Files', describeFiles(story.files ?? []).map(oneLine)],
    ['Warnings', story.warnings.map((warning) => plainText(warning, '  '))],
    ['Not known', story.gaps],
    ['Where to look', renderLinks(story, page)],
    ['Next', next.flatMap(({ command, purpose }) => [command, `    ${style('dim', `# ${oneLine(purpose)}`)}`])],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');
  return [
    headline(story, style),
    ...shown.map(([title, lines]) => [style('bold', title), ...lines.map(indented)].join('\n')),
  ].join('\n\n');
}

function headline(story: TaskStory, style: Style): string {
  const { status, definition, error, task_key } = story;
  const name = versionedName(definition.id, definition.version);
  const key = task_key === null ? '' : ` (${task_key})`;
  const color = status === 'succeeded' ? 'green' : isEndState(status) ? 'red' : 'yellow';
  const why = error ? `: ${firstLine(error.message)}` : '';
  return `${style('bold', name)}${key} ${style(color, describeStatus(story))}${why}`;
}

function describeStatus({ status, error, steps, approvals, definition, source, concurrency }: TaskStory): string {
  if (source === 'record' && !isEndState(status)) return 'was created; how it ended is not known';
  const at = error?.step === undefined || definition.kind === 'operation' ? '' : ` in step ${error.step}`;
  switch (status) {
    case 'created':
      return 'was created and waits to be run';
    case 'guarding':
      return 'waits for its guards';
    case 'waiting_approval':
      return `waits for people: ${approvals.flatMap((one) => (one.status === 'open' ? [oneLine(one.title)] : [])).join('; ')}`;
    case 'waiting': {
      if (concurrency) return `waits for ${oneLine(describeWait(concurrency))}`;
      const { due_at } = approvals.find((one) => one.due_at !== undefined) ?? {};
      return due_at === undefined ? 'waits for its turn or its time' : `is approved, and due ${formatMoment(due_at)}`;
    }
    case 'running': {
      const now = steps.filter((step) => step.status === 'running' && step.call !== null).map(({ path }) => path);
      return now.length === 0 ? 'is running' : `is running ${now.join(', ')}`;
    }
    case 'finishing':
      return 'is cleaning up';
    case 'denied':
      return `was denied${at}`;
    case 'cancelled':
      return error?.code === 'task.terminated' ? 'was terminated' : 'was cancelled';
    case 'timed_out':
      return `took too long${at}`;
    case 'unknown':
      return `ended without its outcome being known${at}`;
    case 'expired':
      return 'expired';
    default:
      return `${status}${at}`;
  }
}

function renderRequest(story: TaskStory): string[] {
  const { definition, requested_by, environment, session, caller, intent, created_at, input } = story;
  const when = created_at === null ? '' : `, created ${formatMoment(created_at)}`;
  const talk = session === null ? '' : `, in session ${oneLine(session)}`;
  return [
    `by ${oneLine(requested_by.name)} (${requested_by.source}${caller === null ? '' : `, ${caller}`})${throughAgent(requested_by, oneLine)} in ${environment}${talk}${when}`,
    ...(intent === null ? [] : [`intent: ${oneLine(intent)}`]),
    ...(definition.summary === null ? [] : [plainText(definition.summary)]),
    ...(input === null ? [] : renderInput(input)),
    ...renderInputChanges(story),
  ];
}

function renderInput(input: JsonObject): string[] {
  const fields = Object.entries(input);
  if (fields.length === 0) return ['without input'];
  return fields.map(([name, value]) => `${oneLine(name)}: ${cut(oneLine(JSON.stringify(value)), MAX_OF_A_VALUE)}`);
}

function renderResolution({ resolution, environment, definition }: TaskStory, style: Style): string[] {
  if (!resolution) return [];
  const { digest, placement, operations, hooks, concurrency, agent } = resolution;
  const name = `${environment}${resolution.protected ? ', which is protected' : ''}`;
  const own = definition.kind === 'workflow' && hooks.length > 0 ? [`hooks around it: ${hooks.join(', ')}`] : [];
  return [
    `for ${name}, placed ${placement}, plan ${digest.slice(0, DIGEST_SHOWN)}`,
    ...own,
    ...(concurrency ? [oneLine(describeConcurrency(concurrency))] : []),
    ...(agent ? renderAgent(agent) : []),
    ...operations.flatMap((operation) => renderOperation(operation, style)),
  ];
}

function renderAgent({ model, limits, tools, grant }: StoryAgent): string[] {
  const may = tools.length > 0 ? tools.join(', ') : 'nothing';
  const by = grant === undefined ? '' : `, as granted by the agent that called it (${grant.slice(0, DIGEST_SHOWN)})`;
  return [`an agent that asks ${model}: ${describeAgentLimits(limits)}`, `it may call ${may}${by}`];
}

function renderOperation(operation: StoryOperation, style: Style): string[] {
  const { key, version, implementation, kind, runs, effects, tags, hooks, asks } = operation;
  const chosen = implementation === key ? '' : ` by ${implementation}`;
  const tagged = tags.length === 0 ? '' : ` [${tags.join(', ')}]`;
  const guarded = hooks.length === 0 ? [] : [`    hooks: ${hooks.join(', ')}`];
  const asked = asks === undefined ? [] : [`    if an outcome is lost: asks ${asks}`];
  return [
    `${key} v${version}${chosen}${tagged}, ${effects}: ${kind} ${style('dim', oneLine(runs))}`,
    ...guarded,
    ...asked,
  ];
}

function renderEnd(
  { status, error, cleanup_ran, started_at, finished_at, agent, ...story }: TaskStory,
  style: Style,
  typist: Typist,
): string[] {
  if (!isEndState(status)) return [];
  const undone = describeRollback(story);
  const at = finished_at === null ? '' : ` ${formatMoment(finished_at)}`;
  const ms = started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : null;
  const after = ms === null ? '' : `, after ${formatDuration(ms)}`;
  const problem = error
    ? [
        `${style('red', error.code)}${error.step === undefined ? '' : ` in step ${error.step}`}: ${plainText(error.message, '  ')}`,
        ...(error.suggestion === undefined ? [] : [`  ${plainText(asTyped(error.suggestion, typist), '  ')}`]),
      ]
    : [];
  return [
    `${status}${at}${after}`,
    ...problem,
    ...(agent ? [`used ${describeUsage(agent)}`] : []),
    ...(undone === undefined ? [] : [`undone: ${oneLine(undone)}`]),
    ...(cleanup_ran === null ? [] : [cleanup_ran ? 'its `finally` ran' : 'its `finally` did not finish']),
  ];
}

function renderLinks({ links }: TaskStory, page: string | undefined): string[] {
  const { record, temporal } = links;
  return [
    ...(record === null ? [] : [`record: ${record}/tool_call.md`]),
    ...(page === undefined ? [] : [`page: ${page}`]),
    ...(temporal === null ? [] : [`history: ${temporal}`]),
  ];
}

function describeUsage({ turns, calls, input_tokens, output_tokens, cost, estimated }: AgentUsage): string {
  const about = estimated ? 'about ' : '';
  const price = cost === undefined ? '' : `, a cost of ${about}${Number(cost.toPrecision(3))}`;
  return `${counted(turns, 'turn')}, ${counted(calls, 'call')}, ${about}${input_tokens} tokens read and ${output_tokens} written${price}`;
}

function describeAgentLimits({ max_turns, max_calls, max_tokens, max_cost, on_limit }: PlanAgentLimits): string {
  return [
    `at most ${counted(max_turns, 'turn')}`,
    counted(max_calls, 'call'),
    ...(max_tokens === undefined ? [] : [`${max_tokens} tokens`]),
    ...(max_cost === undefined ? [] : [`a cost of ${max_cost}`]),
    ...(on_limit === undefined ? [] : ['unless people raise them']),
  ].join(', ');
}
