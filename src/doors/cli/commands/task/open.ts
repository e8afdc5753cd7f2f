import { spawn } from 'node:child_process';
import { viewTask } from '../../../../client/index.js';
import { AbilityError } from '../../../../contracts/problem.js';
import { type Context, openRegistry, printAnswer, withSession } from '../../program/context.js';

/** `ability task open KEY`: opens a task in the Temporal UI; prints its address where there is no desktop. */
export async function run(context: Context, [key]: [string]): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const { result } = await viewTask(connection, key, 'temporal');
    const { project } = result;
    const url = result.links.temporal;
    if (!url) {
      throw new AbilityError({
        code: 'config.invalid',
        message: 'The address of the Temporal UI of this server is not known',
        suggestion: 'Set TEMPORAL_UI_ADDRESS to its address.',
      });
    }
    printAnswer(context, { url, ...(project !== undefined && { project }) }, () => url);
    if (context.terminal.isLive) openInBrowser(url, context.env);
  });
}

function openInBrowser(url: string, env: NodeJS.ProcessEnv): void {
  const program = env.BROWSER ?? (process.platform === 'darwin' ? 'open' : 'xdg-open');
  const child = spawn(program, [url], { detached: true, stdio: 'ignore', env });
  child.on('error', () => {
    // The printed address can be opened by hand.
  });
  child.unref();
}
