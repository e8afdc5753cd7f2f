import type { TaskStory } from '../../../contracts/story.js';
import { readerOf } from '../../../operations/read-caller.js';
import { nextCommands, pageWords } from '../../../shown/next-commands.js';
import { asTyped } from '../../../shown/typed-command.js';
import { pageThrough } from '../output/live/announcer.js';
import { renderStory } from '../output/story/render-story.js';
import { type Context, printAnswer } from '../program/context.js';
import { withProject } from '../program/project-client.js';

/** `ability why KEY`: how a task reached its state. Source: docs/architecture.md#promises. */
export async function run(context: Context, [key]: [string]): Promise<void> {
  const [story, page] = await withProject(context, async (project): Promise<[TaskStory, string | undefined]> => {
    const told = await project.call('explainTask', { key });
    return [told, pageWords(pageThrough(context, key, told.links.page), project.isOwnRuntime(), context, key)];
  });
  const next = nextCommands(story, readerOf(context.env)).map(({ command, purpose }) => ({
    command: asTyped(command, context),
    purpose,
  }));
  printAnswer(context, { ...story, next }, () => renderStory(story, next, context.terminal.style, context, page));
}
