import type { Connection, Stall } from '../../client/index.js';
import type { Approval } from '../../contracts/approvals.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { isEndState } from '../../contracts/states.js';
import type { StepWait, TaskResult, TaskView } from '../../contracts/task.js';
import { shownResult } from '../../operations/task-result.js';
import { describeWait } from '../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../rules/shown-text.js';
import { decisionCommands } from '../../shown/next-commands.js';
import { commandOf, shellWord } from '../../shown/typed-command.js';
import { problemFields, refused } from './answers.js';
import type { McpDoor, Page, ToolAnswer } from './mcp-door.js';

export interface OwnTask {
  key: string;
  handle: string;
}

/** What is in the answer in another form, or is not worth the context of an agent. */
const LEFT_OUT: ReadonlySet<keyof TaskResult> = new Set<keyof TaskResult>([
  ...([
    'status',
    'task_key',
    'ability_id',
    'output',
    'error',
    'warnings',
    'approvals',
    'steps',
    'links',
    'waiting',
  ] as const),
  ...(['version', 'digest', 'environment', 'hooks', 'requested_by', 'caller', 'intent', 'started_at'] as const),
  ...(['finished_at', 'cleanup_ran', 'concurrency', 'changes', 'changes_left', 'agent', 'project', 'files'] as const),
]);

/** The task's state, its output or why it has none, and what the agent may do now. */
export async function taskAnswer(
  task: OwnTask,
  seen: TaskSight,
  door: McpDoor,
  connection: Connection,
): Promise<ToolAnswer> {
  const { result } = seen;
  const { status, ability_id: ability, output, error, warnings } = result;
  const more = Object.entries(shownResult(result)).filter(([name]) => !LEFT_OUT.has(name as keyof TaskResult));
  const data: JsonObject = {
    ...{ status, task: task.handle, ability },
    ...(Object.fromEntries(more) as JsonObject),
    ...(warnings.length > 0 && { warnings }),
  };
  if (!isEndState(status)) {
    const link = result.links.page ?? result.links.temporal;
    const open = result.approvals.filter((approval) => approval.status === 'open');
    const page = open.length > 0 ? await door.findPage(connection) : null;
    const asked = open.map((approval) => approvalFields(task.key, approval, door, page));
    const others = otherWaits(task.key, seen, door);
    const waiting: JsonObject[] = [...asked, ...others];
    return {
      data: {
        ...data,
        ...stepFields(result),
        ...(waiting.length > 0 && { waiting_for: waiting, ...(link !== null && { link }) }),
        next: status === 'created' ? 'Run it with task_run.' : nextOf(asked, others),
      },
      isError: false,
      open: { ...task, needsOthers: waiting.some(({ commands }) => commands !== undefined) },
    };
  }
  if (status === 'succeeded') return { data: { ...data, output }, isError: false };
  // Without a task: what the tool refused before anything ran.
  if (status === 'unavailable' && error) return refused(error, door);
  const problem = error ?? { code: `task.${status}`, message: `The task ended as ${status}` };
  return {
    data: { ...data, ...problemFields(problem, door), ...(problem.step !== undefined && { step: problem.step }) },
    isError: true,
  };
}

/** Of a task that no one has seen yet. */
export function startedAnswer(task: OwnTask, stall: WorkerWait | undefined, { typed }: McpDoor): ToolAnswer {
  const waiting = stall ? [workerWait(stall, typed)] : [];
  const data = {
    ...{ status: 'running', task: task.handle },
    ...(waiting.length > 0 && { waiting_for: waiting }),
    next: nextOf([], waiting),
  };
  return { data, isError: false, open: { ...task, needsOthers: false } };
}

/** Who decides, until when, where and with which command. Contains nothing that an agent could answer itself. */
export function approvalFields(of: string, approval: Approval, door: McpDoor, page: Page): JsonObject {
  const key = approval.task ?? of;
  const place = page && 'address' in page ? `${page.address}/tasks/${encodeURIComponent(key)}` : undefined;
  const opening = page && 'command' in page ? [`${page.command} ${shellWord(key)}`] : [];
  const commands = [...decisionCommands(key, approval, null).map(({ command }) => command), ...opening];
  const { id, title, what, reasons, expires_at, due_at, quorum } = approval;
  return {
    approval: id,
    title: oneLine(title),
    ability: what.ability,
    environment: what.environment,
    ...(what.undo && { undo: what.undo }),
    ...(reasons.length > 0 && { because: reasons }),
    who: whoDecides(approval),
    ...(quorum > 1 && { people_needed: quorum }),
    until: expires_at,
    ...(due_at !== undefined && { due: due_at }),
    ...(place !== undefined && { page: place }),
    commands: commands.map((command) => door.typed(command)),
  };
}

/** The people, else the approvers as listed. */
export function deciders({ approvers, people }: Pick<Approval, 'approvers' | 'people'>): string {
  return approvers.length === 0 ? 'any person' : (people.length > 0 ? people : approvers).join(', ');
}

function whoDecides(approval: Approval): string {
  const { approvers, people, self_approval, requested_by } = approval;
  const who = deciders(approval);
  const mayNot = !self_approval && (approvers.length === 0 || people.includes(requested_by.name));
  return mayNot ? `${who}; not ${requested_by.name}` : who;
}

function nextOf(asked: readonly Json[], others: readonly Json[]): string {
  const ask = 'Ask for the end with task_result and this task.';
  if (asked.length > 0) return `A person decides this, never you: tell the user who may, and where or how. ${ask}`;
  return others.length > 0 ? `Tell the user what it waits for. ${ask}` : ask;
}

function stepFields({ steps }: TaskResult): JsonObject {
  const at = steps.find(({ status }) => status === 'running' || status === 'waiting');
  return at ? { step: at.path } : {};
}

type Typed = Pick<McpDoor, 'typed'>;

/** A task as a door sees it now. */
export interface TaskSight {
  result: TaskResult & Partial<Pick<TaskView, 'paused' | 'waits'>>;
  /** Work of it that no worker takes up. */
  stall: WorkerWait | undefined;
}

export type WorkerWait = Pick<Stall, 'message' | 'suggestion'>;

/**
 * What an open task waits for besides decisions: to be resumed, a signal, its turn, a worker. Each says `what`, and has
 * `commands` if it goes on only after somebody has typed one, or a `suggestion` if something is out of order.
 */
function otherWaits(key: string, { result, stall }: TaskSight, { typed }: Typed): JsonObject[] {
  const { status, paused = false, waits = [], concurrency } = result;
  const resume = typed(commandOf('ability', 'task', 'resume', key));
  return [
    ...(paused ? [{ what: 'a person, since it is paused', commands: [resume] }] : []),
    ...waits.filter((wait) => wait.for === 'signal').map((wait) => signalWait(key, wait, typed)),
    ...(status === 'waiting' && concurrency ? [{ what: oneLine(describeWait(concurrency)) }] : []),
    ...(stall ? [workerWait(stall, typed)] : []),
  ];
}

function workerWait({ message, suggestion }: WorkerWait, typed: McpDoor['typed']): JsonObject {
  return { what: `a worker: ${oneLine(message)}`, suggestion: typed(suggestion) };
}

function signalWait(key: string, { path, what = '', condition, until }: StepWait, typed: McpDoor['typed']): JsonObject {
  const only = condition === undefined ? '' : `, for which ${condition} must hold`;
  const end = until === undefined ? '' : `, until ${until}`;
  const command = typed(commandOf('ability', 'task', 'signal', key, what));
  return { what: oneLine(`the signal ${what}${only}${end}`), step: path, commands: [command] };
}
