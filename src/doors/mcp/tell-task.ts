import type { Approval } from '../../contracts/approvals.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { oneLine } from '../../rules/shown-text.js';
import { decisionCommands } from '../cli/output/next-commands.js';
import { tellProblem } from './answers.js';
import type { McpDoor, ToolAnswer } from './mcp-door.js';

/** A task of the caller that is told of. */
export interface ToldTask {
  key: string;
  handle: string;
}

/** What an agent is told of a task: how it stands, its output or why it has none, and what it may do now. */
export function tellTask(task: ToldTask, result: TaskResult, door: McpDoor): ToolAnswer {
  const { status, ability_id: ability, output, error, warnings } = result;
  const told: JsonObject = {
    status,
    task: task.handle,
    ability,
    ...(warnings.length > 0 && { warnings }),
  };
  if (!isEndState(status)) {
    const asked = result.approvals.filter((approval) => approval.status === 'open');
    const waiting = asked.map((approval) => tellApproval(task.key, approval, door));
    return {
      told: {
        ...told,
        ...tellStep(result),
        ...(waiting.length > 0 && { waiting_for: waiting, ...linkOf(result) }),
        next: nextOf(waiting),
      },
      isError: false,
      open: task,
    };
  }
  if (status === 'succeeded') return { told: { ...told, output }, isError: false };
  const problem = error ?? { code: `task.${status}`, message: `The task ended as ${status}` };
  return {
    told: { ...told, ...tellProblem(problem, door), ...(problem.step !== undefined && { step: problem.step }) },
    isError: true,
  };
}

/** What can be told of a task that nobody has seen at work yet. */
export function tellBegun(task: ToldTask): ToolAnswer {
  return { told: { status: 'running', task: task.handle, next: nextOf([]) }, isError: false, open: task };
}

/** Who decides about something, until when, and with which command. Nothing that an agent could answer itself. */
export function tellApproval(key: string, approval: Approval, door: McpDoor): JsonObject {
  const { id, title, what, reasons, expires_at, quorum } = approval;
  return {
    approval: id,
    title: oneLine(title),
    ability: what.ability,
    environment: what.environment,
    ...(reasons.length > 0 && { because: reasons }),
    who: whoDecides(approval),
    ...(quorum > 1 && { people_needed: quorum }),
    until: expires_at,
    commands: decisionCommands(approval.task ?? key, approval).map(({ command }) => door.typed(command)),
  };
}

/** Who decides, in words. */
export function whoDecides({
  approvers,
  people,
  self_approval,
  requested_by,
}: Pick<Approval, 'approvers' | 'people' | 'self_approval' | 'requested_by'>): string {
  const who = approvers.length === 0 ? 'any person' : (people.length > 0 ? people : approvers).join(', ');
  const mayNot = !self_approval && (approvers.length === 0 || people.includes(requested_by.name));
  return mayNot ? `${who}; not ${requested_by.name}` : who;
}

function nextOf(waiting: readonly Json[]): string {
  const ask = 'Ask for the end with task_result and this task.';
  if (waiting.length === 0) return ask;
  return `A person decides this, never you: tell the user who may, and with which command. ${ask}`;
}

/** Where people can see the task. */
function linkOf({ links }: TaskResult): JsonObject {
  return links.temporal === null ? {} : { link: links.temporal };
}

/** The first step at work. */
function tellStep({ steps }: TaskResult): JsonObject {
  const at = steps.find(({ status }) => status === 'running' || status === 'waiting');
  return at ? { step: at.path } : {};
}
