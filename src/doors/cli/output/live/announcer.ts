import type { Approval } from '../../../../contracts/approvals.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { readerOf } from '../../../../operations/read-caller.js';
import { pageLink } from '../../../../rules/tasks/task-link.js';
import { decisionCommands, pageWords } from '../../../../shown/next-commands.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import type { Context } from '../../program/context.js';
import type { ProjectClient } from '../../program/project-operations.js';
import { renderApproval } from '../result/render-approval.js';

export class Announcer {
  private readonly said = new Set<string>();

  constructor(
    private readonly context: Context,
    private readonly key: string,
    private readonly project: Pick<ProjectClient, 'isOwnRuntime'>,
  ) {}

  announce({ status, approvals, links }: TaskResult): void {
    const { terminal } = this.context;
    if (status === 'created' && this.markNew('created')) {
      const command = asTyped(commandOf('ability', 'task', 'run', this.key), this.context);
      terminal.note(`${this.key} has been created and waits to be run: ${command}`);
    }
    for (const approval of approvals) {
      if (approval.status !== 'open' || !this.markNew(`approval ${approval.id}`)) continue;
      const lines = [renderApproval(approval, terminal.style)];
      // Off a terminal, the command says how to decide when it ends.
      if (terminal.isLive) {
        lines.push(...decisionLines(this.context, this.key, approval));
        lines.push(...pageLine(this.context, this.project.isOwnRuntime(), this.key, links));
      }
      terminal.note(lines.join('\n'));
    }
  }

  markNew(what: string): boolean {
    const isNew = !this.said.has(what);
    this.said.add(what);
    return isNew;
  }
}

/** Its page, as the task names it; else that of the door. */
export function pageThrough({ door }: Context, key: string, page: string | null): string | null {
  return page ?? (door ? pageLink(door.url, key) : null);
}

/** Where the page has a task: one line, or none where it has no page. */
export function pageLine(
  context: Context,
  isOwnRuntime: boolean,
  key: string,
  { page }: TaskResult['links'],
): string[] {
  const words = pageWords(pageThrough(context, key, page), isOwnRuntime, context, key);
  return words === undefined ? [] : [`Page:   ${words}`];
}

export function decisionLines(context: Context, key: string, approval: Approval): string[] {
  const commands = decisionCommands(key, approval, readerOf(context.env));
  return alignedCommands(context, commands);
}

/** Each command with its purpose as a shell comment: beside it, or below it on a narrow terminal. */
export function alignedCommands(context: Context, commands: readonly { command: string; purpose: string }[]): string[] {
  const typed = commands.map(({ command, purpose }) => ({ command: asTyped(command, context), purpose }));
  const width = Math.max(0, ...typed.map(({ command }) => command.length));
  const beside = typed.map(({ command, purpose }) => `  ${command.padEnd(width)}   # ${purpose}`);
  const { terminal } = context;
  const isNarrow = terminal.isLive && beside.some((line) => line.length > terminal.columns());
  return isNarrow ? typed.flatMap(({ command, purpose }) => [`  ${command}`, `      # ${purpose}`]) : beside;
}
