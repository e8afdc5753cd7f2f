import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server';
import { type Offered, offeredIn } from '../../choosing/read-abilities.js';
import type { Rights } from '../../contracts/access.js';
import type { Effect } from '../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { ability } from '../../operations/concerns.js';
import { effectsOf } from '../../operations/describe-ability.js';
import { withinRight } from '../../operations/run-operation.js';
import { isAllowed } from '../../rules/rights.js';
import { oneLine } from '../../rules/shown-text.js';
import { matchesAnyGlob, matchesGlob } from '../../text/glob.js';
import { askedOf, type McpDoor } from './mcp-door.js';
import { readArguments } from './read-arguments.js';
import { runAbility, runInput } from './run-ability.js';
import { type DoorTool, META_NAMES } from './tools.js';

/** Annotations for hosts that ask before calling a tool; unknown effects count as the gravest. */
const HINTS: Record<Effect, ToolAnnotations> = {
  read: { readOnlyHint: true, openWorldHint: false },
  external_read: { readOnlyHint: true, openWorldHint: true },
  write_idempotent: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  write_additive: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
};

/**
 * Abilities as tools for callers who may run, in order of ids: named by id with `_` for dots, which many hosts
 * forbid. If two would share a name, neither gets it, so that a name never changes its ability.
 */
export function exposedTools(door: McpDoor, rights: Rights): Map<string, DoorTool> {
  const { environment } = door;
  return new Map(
    [...allExposed(door)].filter(([, { listed }]) => {
      return isAllowed(rights, 'run', { ability: listed.title, environment });
    }),
  );
}

function allExposed(door: McpDoor): Map<string, DoorTool> {
  if (door.expose.length === 0) return new Map();
  const { digest } = door.registry();
  const last = made.get(door);
  if (last?.digest === digest) return last.tools;
  const tools = makeTools(door);
  made.set(door, { digest, tools });
  return tools;
}

/** Cached per state of the definitions, since effects of workflows require planning. */
const made = new WeakMap<McpDoor, { digest: string; tools: Map<string, DoorTool> }>();

function makeTools(door: McpDoor): Map<string, DoorTool> {
  const wanted = offeredIn(door.registry(), door.environment)
    .filter(({ id }) => matchesAnyGlob(door.expose, id))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const names = wanted.map(({ id }) => nameOf(id));
  const isFree = (name: string): boolean => !META_NAMES.has(name) && names.indexOf(name) === names.lastIndexOf(name);
  const free = wanted.map((ability) => [nameOf(ability.id), ability] as const).filter(([name]) => isFree(name));
  return new Map(free.map(([name, ability]) => [name, toolOf(name, ability, door)]));
}

export function unexposed(door: McpDoor): string[] {
  const tools = allExposed(door);
  const ids = offeredIn(door.registry(), door.environment).map(({ id }) => id);
  const unused = door.expose.filter((glob) => !ids.some((id) => matchesGlob(glob, id)));
  const nameless = ids.filter((id) => matchesAnyGlob(door.expose, id) && !tools.has(nameOf(id)));
  return [
    ...unused.map((glob) => `No ability that can be run in ${door.environment} fits --expose ${glob}`),
    ...nameless.map((id) => `${id} is no tool of its own: another tool would be called ${nameOf(id)} as well`),
  ];
}

function nameOf(id: string): string {
  return id.replaceAll('.', '_');
}

function toolOf(name: string, { id, definition }: Offered, door: McpDoor): DoorTool {
  const effects = effectsOf(door.registry(), id, door.environment, door.env) ?? 'destructive';
  return {
    listed: {
      name,
      title: id,
      description: `${oneLine(definition.summary)} (ability ${id}, ${effects})`,
      inputSchema: { ...(definition.input_schema as JsonObject), type: 'object' },
      outputSchema: outputOf(definition.output_schema as JsonObject | undefined),
      annotations: HINTS[effects],
    },
    isLong: true,
    run: async (call, input) => {
      const wanted = readArguments(runInput, { id, input: input ?? {} });
      return withinRight(askedOf(call, 'run'), ability, wanted, () => runAbility(call, wanted));
    },
  };
}

/** The answer of `ability_run`, with the ability's own output schema. */
function outputOf(schema: JsonObject = {}): Tool['outputSchema'] {
  const text = { type: 'string' };
  return {
    type: 'object',
    properties: { status: text, task: text, output: moved(schema), code: text, reason: text, next: text },
    required: ['status'],
  } as Tool['outputSchema'];
}

/** Keywords of JSON Schema that contain values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/** Moves a schema under `properties.output`, including its references to itself. */
function moved(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(moved);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([word, value]) => {
      if (VALUES.has(word)) return [word, value];
      if (word === '$ref' && typeof value === 'string') return [word, value.replace(/^#/, '#/properties/output')];
      return [word, moved(value)];
    }),
  );
}

/** Polls without keeping the process alive. @param changed called after each change. @returns stops it. */
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
    return JSON.stringify([...allExposed(door).values()].map(({ listed }) => listed));
  } catch {
    return undefined;
  }
}
