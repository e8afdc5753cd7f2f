import { exposedTools, unexposed } from './expose-abilities.js';
import type { McpDoor } from './mcp-door.js';

/**
 * Looks again and again whether the tools that abilities are have changed.
 *
 * @param changed called when they have. @returns what ends the looking, which keeps no process alive.
 */
export function watchExposed(door: McpDoor, changed: () => void): () => void {
  if (door.expose.length === 0) return () => {};
  let last = toolsOf(door);
  const timer = setInterval(() => {
    const now = toolsOf(door) ?? last;
    if (now === last) return;
    last = now;
    for (const note of unexposed(door)) door.note(note);
    changed();
  }, door.lookMs).unref();
  return () => clearInterval(timer);
}

/** Undefined while the definitions cannot be read; they may be half written. */
function toolsOf(door: McpDoor): string | undefined {
  try {
    return JSON.stringify([...exposedTools(door).values()].map(({ listed }) => listed));
  } catch {
    return undefined;
  }
}
