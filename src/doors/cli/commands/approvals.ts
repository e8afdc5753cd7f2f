import type { LastApproved, ShownApproval } from '../../../client/index.js';
import { readerOf } from '../../../operations/read-caller.js';
import { pageLink } from '../../../rules/tasks/task-link.js';
import { pageAddress } from '../../../server/page-address.js';
import { decisionCommands, pageWords } from '../../../shown/next-commands.js';
import { asTyped } from '../../../shown/typed-command.js';
import { defined } from '../../../text/defined.js';
import { renderShown } from '../output/result/render-approval.js';
import { type Context, environmentGiven, printList } from '../program/context.js';
import { withProject } from '../program/project-client.js';

type Shown = ShownApproval & { last_approved?: LastApproved | null };

/** `ability approvals [KEY]`: what waits for a decision in this project, or in one task, in full. */
export async function run(context: Context, [key]: [string | undefined]): Promise<void> {
  const { door } = context;
  const { env, json } = context.flags;
  const [shown, isOwnRuntime] = await withProject(context, async (project): Promise<[Shown[], boolean]> => {
    const read =
      key === undefined
        ? project.call('listApprovals', defined({ environment: door ? environmentGiven(context) : env }))
        : project.call('readApprovals', { key });
    return [await read, door !== undefined || project.isOwnRuntime()];
  });
  printList(context, shown, `Nothing waits for a decision${key === undefined ? '' : ` in ${key}`}.`, () =>
    shown.map((approval) => renderOpen(context, approval)).join('\n\n'),
  );
  const address = door?.url ?? pageAddress(context.env);
  const page = pageWords(address && pageLink(address, key), isOwnRuntime, context, ...(key === undefined ? [] : [key]));
  if (page !== undefined && !json && shown.length > 0) context.terminal.note(`Page:  ${page}`);
}

function renderOpen(context: Context, approval: Shown): string {
  const [approve] = decisionCommands(approval.task_key, approval, readerOf(context.env));
  const decide = asTyped(approve?.command ?? '', context);
  return `${renderShown(approval, context.terminal.style, approval.last_approved)}\n  decide: ${decide}`;
}
