import { explainTask } from '../../../client/index.js';
import { nextCommands } from '../output/next-commands.js';
import { renderStory } from '../output/story/render-story.js';
import { asTyped } from '../output/typed-command.js';
import { type Context, currentUser, openRegistry, withSession } from '../program/context.js';
import { mendRecord } from './task/mend-record.js';

/** `ability why KEY`: how a task reached its state. Source: docs/architecture.md#promises. */
export async function run(context: Context, [key]: [string]): Promise<void> {
  return withSession(context, await openRegistry(context), async (connection) => {
    const story = await explainTask(connection, key, (seen) => mendRecord(connection, key, seen));
    const next = nextCommands(story, currentUser(context.env).name).map(({ command, purpose }) => ({
      command: asTyped(command, context),
      purpose,
    }));
    const { flags, terminal } = context;
    terminal.print(
      flags.json ? JSON.stringify({ ...story, next }, null, 2) : renderStory(story, next, terminal.style, context),
    );
  });
}
