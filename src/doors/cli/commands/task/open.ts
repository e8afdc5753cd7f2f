import { AbilityError } from '../../../../contracts/problem.js';
import { type Context, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import { openInBrowser } from '../open.js';

/** `ability task open KEY`: opens a task in the Temporal UI; prints its address where there is no desktop. */
export async function run(context: Context, [key]: [string]): Promise<void> {
  const { project, links } = await withProject(context, (client) => client.call('readResult', { key }));
  const url = links.temporal;
  if (!url) {
    throw new AbilityError({
      code: 'config.invalid',
      message: 'The address of the Temporal UI of this server is not known',
      suggestion: 'Set TEMPORAL_UI_ADDRESS to its address.',
    });
  }
  printAnswer(context, { url, ...(project !== undefined && { project }) }, () => url);
  if (context.terminal.isLive) openInBrowser(url, context.env);
}
