import { findLastApproved, listApprovals, readApprovals, type ShownApproval } from '../../../../client/index.js';
import { masking } from '../../output/mask-secrets.js';
import { decisionCommands } from '../../output/next-commands.js';
import { renderShown } from '../../output/result/render-approval.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, currentUser, openRegistry, withSession } from '../../program/context.js';

/** `ability approvals [KEY]`: what waits for a decision in this project, or in one task, in full. */
export async function run(context: Context, [key]: [string | undefined]): Promise<void> {
  const registry = await openRegistry(context);
  return withSession(context, registry, async (connection) => {
    const { terminal, flags } = context;
    const open = key === undefined ? await listApprovals(connection, flags.env) : await readApprovals(connection, key);
    const mask = await masking(context, registry);
    const shown = await Promise.all(
      open.map(async (approval) => {
        const found = key === undefined ? {} : { last_approved: await findLastApproved(connection, approval) };
        return mask<ShownApproval & typeof found>({ ...approval, ...found }, approval.what.environment);
      }),
    );
    if (flags.json) terminal.printJson(shown);
    else if (shown.length === 0) terminal.note(`Nothing waits for a decision${key === undefined ? '' : ` in ${key}`}.`);
    else terminal.print(shown.map((approval) => renderOpen(context, approval)).join('\n\n'));
  });
}

function renderOpen(
  context: Context,
  approval: ShownApproval & { last_approved?: Awaited<ReturnType<typeof findLastApproved>> },
): string {
  const user = currentUser(context.env).name;
  const [approve] = decisionCommands(approval.task_key, approval, user);
  const decide = asTyped(approve?.command ?? '', context);
  return `${renderShown(approval, context.terminal.style, approval.last_approved)}\n  decide: ${decide}`;
}
