import { type Connection, followEvents } from '../../client/index.js';
import type { TaskEvent } from '../../contracts/task-events.js';
import { oneLine } from '../../rules/shown-text.js';
import { withModelOutput } from '../answers/with-model-output.js';
import type { ToolCall } from './mcp-door.js';

/** A caller is not told more in one answer, however many calls a task makes. */
const MOST_TOLD = 500;

/**
 * Tells a caller who asked for it what happens to a task while it waits: each event is a step on, of which no one knows how many
 * there will be.
 *
 * @returns what ends it; nothing is told after that. What goes wrong here costs the caller nothing but the telling.
 */
export function tellProgress({ progress }: ToolCall, connection: Connection, key: string): () => void {
  if (!progress) return () => {};
  const stop = new AbortController();
  const telling = async (): Promise<void> => {
    let told = 0;
    const events = await followEvents(connection, key, undefined, stop.signal);
    for await (const event of withModelOutput(connection, key, events, stop.signal)) {
      if (stop.signal.aborted || told === MOST_TOLD) return;
      told += 1;
      await progress(told, inWords(event));
    }
  };
  telling().catch(() => {});
  return () => stop.abort();
}

/** Such as `call ended: db.write.user_row, succeeded`. */
function inWords({ type, data: { ability, call, name, status, step, text } }: TaskEvent): string {
  if (type === 'model.output') return oneLine(`${step}: ${text}`);
  const facts = [ability, call, name, status].filter((fact) => typeof fact === 'string');
  return oneLine([type.replace('.', ' '), facts.join(', ')].filter((part) => part !== '').join(': '));
}
