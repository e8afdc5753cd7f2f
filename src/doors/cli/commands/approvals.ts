import { listTasks, openApprovals } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { type Context, currentUser, openRegistry, withSession } from '../context.js';
import { decisionCommands } from '../next-commands.js';
import { renderApproval } from '../render-result.js';
import { asTyped } from '../typed-command.js';

const MOST_TASKS = 200;

/** `ability approvals`: what waits for a decision in this project. */
export async function run(context: Context): Promise<ExitCode> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const { terminal, flags } = context;
    const waiting = await listTasks(connection, {
      called: true,
      status: ['waiting_approval'],
      environment: flags.env,
      limit: MOST_TASKS,
    });
    const open = await Promise.all(
      waiting.map(async ({ task_key }) => {
        const approvals = await openApprovals(connection, task_key);
        return approvals.map((approval) => ({ task_key, ...approval }));
      }),
    );
    const approvals = open.flat();
    if (flags.json) terminal.printJson(approvals);
    else if (approvals.length === 0) terminal.note('Nothing waits for a decision.');
    else {
      const user = currentUser(context.env).name;
      const shown = approvals.map((approval) => {
        const [approve] = decisionCommands(approval.task_key, approval, user);
        return `${renderApproval(approval, terminal.style)}\n  decide: ${asTyped(approve?.command ?? '', context)}`;
      });
      terminal.print(shown.join('\n\n'));
    }
    return EXIT.ok;
  });
}
