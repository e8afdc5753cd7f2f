import { listTasks, openApprovals } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';
import { commentFlag, fieldFlags, renderApproval } from '../render-result.js';

const MOST_TASKS = 200;

/** `ability approvals`: what waits for a decision in this project. */
export async function run(context: Context): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (session) => {
    const { terminal, flags } = context;
    const waiting = await listTasks(session, {
      called: true,
      status: ['waiting_approval'],
      environment: flags.env,
      limit: MOST_TASKS,
    });
    const open = await Promise.all(
      waiting.map(async ({ task_key }) => {
        const approvals = await openApprovals(session, task_key);
        return approvals.map((approval) => ({ task_key, ...approval }));
      }),
    );
    const approvals = open.flat();
    if (flags.json) terminal.printJson(approvals);
    else if (approvals.length === 0) terminal.note('Nothing waits for a decision.');
    else {
      const shown = approvals.map((approval) => {
        const mayDecide = approval.approvers.length === 0 || approval.people.includes(currentUser(context.env).name);
        const as = mayDecide ? '' : ' --as NAME';
        const command = `ability approve ${approval.task_key} --approval ${approval.id}${as}${fieldFlags(approval)}${commentFlag(approval, 'approve')}`;
        return `${renderApproval(approval, terminal.style)}\n  decide: ${command}`;
      });
      terminal.print(shown.join('\n\n'));
    }
    return EXIT.ok;
  });
}
