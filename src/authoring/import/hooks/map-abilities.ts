import type { Effect } from '../../../contracts/effects.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { ToolMapping } from '../../../definitions/formats/hooks.js';

/** The parts of an ability that show which tool it resembles. */
export interface Shown {
  key: string;
  effects: Effect;
  input_schema: JsonObject;
  mcp?: { server: string; tool: string };
}

/** A tool, and for each key of its input the one of an ability; an ability that requires all of them is one. */
interface Form {
  tool: string;
  input: Record<string, string>;
  effects?: Effect[];
}

const READS: Effect[] = ['read', 'external_read'];

const FORMS: Form[] = [
  { tool: 'Bash', input: { command: 'command' } },
  { tool: 'Edit', input: { file_path: 'file_path', old_string: 'old_string', new_string: 'new_string' } },
  { tool: 'Write', input: { file_path: 'file_path', content: 'content' } },
  { tool: 'Write', input: { file_path: 'path', content: 'content' } },
  { tool: 'Read', input: { file_path: 'file_path' }, effects: READS },
  { tool: 'Read', input: { file_path: 'path' }, effects: READS },
  { tool: 'WebFetch', input: { url: 'url' }, effects: READS },
];

/** An entry of `as`, and how a call of the tool maps to the ability's input. */
export interface Mapped {
  tool: string;
  abilities: string[];
  entry: ToolMapping;
  /** Keys of the ability's input by key of the tool's; null: the input is passed as a whole. */
  keys: Record<string, string> | null;
}

/**
 * As which tools the abilities are shown to a hook. Names do not decide: an ability is a tool if it requires that
 * tool's inputs as texts, or calls a server's by MCP. Tools that `fits` refuses are left out.
 */
export function mapAbilities(abilities: readonly Shown[], fits: (tool: string) => boolean): Mapped[] {
  const found = new Map<string, Mapped>();
  for (const ability of abilities) {
    const mapped = mcpOf(ability, fits) ?? formOf(ability, fits);
    if (!mapped) continue;
    const id = JSON.stringify([mapped.entry.tool_name, mapped.entry.tool_input]);
    const same = found.get(id);
    if (!same) found.set(id, mapped);
    else {
      same.abilities.push(ability.key);
      same.entry.match.abilities = same.abilities;
    }
  }
  return [...found.values()];
}

function mcpOf({ key, mcp }: Shown, fits: (tool: string) => boolean): Mapped | undefined {
  if (!mcp) return undefined;
  const tool = `mcp__${mcp.server}__${mcp.tool}`;
  const abilities = [key];
  const entry: ToolMapping = { match: { abilities }, tool_name: tool, tool_input: '${{ input }}' };
  return fits(tool) ? { tool, abilities, entry, keys: null } : undefined;
}

function formOf({ key, effects, input_schema }: Shown, fits: (tool: string) => boolean): Mapped | undefined {
  const form = FORMS.find(
    (each) => fits(each.tool) && (each.effects?.includes(effects) ?? true) && Object.values(each.input).every(isText),
  );
  if (!form) return undefined;
  const abilities = [key];
  const tool_input = Object.fromEntries(Object.entries(form.input).map(([to, from]) => [to, `\${{ input.${from} }}`]));
  const entry: ToolMapping = { match: { abilities }, tool_name: form.tool, tool_input };
  return { tool: form.tool, abilities, entry, keys: form.input };

  function isText(name: string): boolean {
    const { required, properties } = input_schema as { required?: unknown; properties?: Record<string, unknown> };
    const property = properties && Object.hasOwn(properties, name) ? properties[name] : undefined;
    const type = (property as { type?: unknown } | undefined)?.type;
    return Array.isArray(required) && required.includes(name) && type === 'string';
  }
}
