import type { Approval } from '../../contracts/approvals.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { oneLine } from '../../rules/shown-text.js';
import { decisionCommands } from '../cli/output/next-commands.js';
import { problemFields, refused } from './answers.js';
import type { McpDoor, ToolAnswer } from './mcp-door.js';

export interface OwnTask {
  key: string;
  handle: string;
}

/** The task's state, its output or why it has none, and what the agent may do now. */
export function taskAnswer(task: OwnTask, result: TaskResult, door: McpDoor): ToolAnswer {
  const { status, ability_id: ability, output, error, warnings } = result;
  const { rolled_back, not_undone } = result;
  const data: JsonObject = {
    ...{ status, task: task.handle, ability },
    ...(rolled_back && { rolled_back }),
    ...(not_undone && { not_undone }),
    ...(warnings.length > 0 && { warnings }),
  };
  if (!isEndState(status)) {
    const { temporal: link } = result.links;
    const open = result.approvals.filter((approval) => approval.status === 'open');
    const waiting = open.map((approval) => approvalFields(task.key, approval, door));
    return {
      data: {
        ...data,
        ...stepFields(result),
        ...(waiting.length > 0 && { waiting_for: waiting, ...(link !== null && { link }) }),
        next: status === 'created' ? 'Run it with task_run.' : nextOf(waiting),
      },
      isError: false,
      open: task,
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

export function startedAnswer(task: OwnTask): ToolAnswer {
  return { data: { status: 'running', task: task.handle, next: nextOf([]) }, isError: false, open: task };
}

/** Who decides, until when, and with which command. Contains nothing that an agent could answer itself. */
export function approvalFields(key: string, approval: Approval, door: McpDoor): JsonObject {
  const { id, title, what, reasons, expires_at, quorum } = approval;
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
    commands: decisionCommands(approval.task ?? key, approval).map(({ command }) => door.typed(command)),
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

function nextOf(waiting: readonly Json[]): string {
  const ask = 'Ask for the end with task_result and this task.';
  if (waiting.length === 0) return ask;
  return `A person decides this, never you: tell the user who may, and with which command. ${ask}`;
}

function stepFields({ steps }: TaskResult): JsonObject {
  const at = steps.find(({ status }) => status === 'running' || status === 'waiting');
  return at ? { step: at.path } : {};
}
