import type { Stall } from '../../client/index.js';
import type { JsonObject } from '../../contracts/json.js';
import type { StepWait, TaskResult, TaskView } from '../../contracts/task.js';
import { describeWait } from '../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../rules/shown-text.js';
import { commandOf } from '../../shown/typed-command.js';
import type { McpDoor } from './mcp-door.js';

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
export function otherWaits(key: string, { result, stall }: TaskSight, { typed }: Typed): JsonObject[] {
  const { status, paused = false, waits = [], concurrency } = result;
  const resume = typed(commandOf('ability', 'task', 'resume', key));
  return [
    ...(paused ? [{ what: 'a person, since it is paused', commands: [resume] }] : []),
    ...waits.filter((wait) => wait.for === 'signal').map((wait) => signalWait(key, wait, typed)),
    ...(status === 'waiting' && concurrency ? [{ what: oneLine(describeWait(concurrency)) }] : []),
    ...(stall ? [workerWait(stall, typed)] : []),
  ];
}

export function workerWait({ message, suggestion }: WorkerWait, typed: McpDoor['typed']): JsonObject {
  return { what: `a worker: ${oneLine(message)}`, suggestion: typed(suggestion) };
}

function signalWait(key: string, { path, what = '', condition, until }: StepWait, typed: McpDoor['typed']): JsonObject {
  const only = condition === undefined ? '' : `, for which ${condition} must hold`;
  const end = until === undefined ? '' : `, until ${until}`;
  const command = typed(commandOf('ability', 'task', 'signal', key, what));
  return { what: oneLine(`the signal ${what}${only}${end}`), step: path, commands: [command] };
}
