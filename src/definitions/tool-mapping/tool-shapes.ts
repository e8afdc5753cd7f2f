import { isJsonObject } from '../../contracts/json.js';
import { didYouMean } from '../../text/nearest.js';

type Kind = 'text' | 'number' | 'boolean' | 'texts' | 'edits';

interface Shape {
  required: Readonly<Record<string, Kind>>;
  optional?: Readonly<Record<string, Kind>>;
}

const EDIT: Shape = { required: { old_string: 'text', new_string: 'text' }, optional: { replace_all: 'boolean' } };

/** Inputs of the tools of Claude Code 2.1.317. Guards read these keys, and stay silent without them. */
const SHAPES: Readonly<Record<string, Shape>> = {
  Bash: {
    required: { command: 'text' },
    optional: { description: 'text', timeout: 'number', run_in_background: 'boolean' },
  },
  Write: { required: { file_path: 'text', content: 'text' } },
  Edit: { required: { file_path: 'text', ...EDIT.required }, optional: { ...EDIT.optional } },
  MultiEdit: { required: { file_path: 'text', edits: 'edits' } },
  Read: { required: { file_path: 'text' }, optional: { offset: 'number', limit: 'number' } },
  Grep: {
    required: { pattern: 'text' },
    optional: {
      ...{ path: 'text', glob: 'text', type: 'text', output_mode: 'text', head_limit: 'number' },
      ...{ '-A': 'number', '-B': 'number', '-C': 'number', '-i': 'boolean', '-n': 'boolean', multiline: 'boolean' },
    },
  },
  Glob: { required: { pattern: 'text' }, optional: { path: 'text' } },
  WebFetch: { required: { url: 'text' }, optional: { prompt: 'text' } },
  WebSearch: { required: { query: 'text' }, optional: { allowed_domains: 'texts', blocked_domains: 'texts' } },
};

/** A tool of an MCP server; the server defines its input. */
const MCP_TOOL = /^mcp__\S+__\S+$/;

const KNOWN_TOOLS: readonly string[] = Object.keys(SHAPES);

/**
 * Why no hook of Claude Code would know this tool; undefined: it would. An unknown name silences every guard, and
 * silence usually allows.
 */
export function faultOfToolName(tool: string): string | undefined {
  if (shapeOf(tool) || MCP_TOOL.test(tool)) return undefined;
  const hint = didYouMean(tool, KNOWN_TOOLS);
  return `no tool is called ${tool}: known are ${KNOWN_TOOLS.join(', ')} and mcp__<server>__<tool>${hint ? `. ${hint}` : ''}`;
}

/** @param value the evaluated `tool_input`. */
export function faultOfToolInput(tool: string, value: unknown): string | undefined {
  const fault = faultOfToolName(tool);
  if (fault !== undefined) return fault;
  const wrong = shapeFault(shapeOf(tool) ?? { required: {} }, value, shapeOf(tool) === undefined);
  return wrong === undefined ? undefined : `it is no input of ${tool}: ${wrong}`;
}

/** The required and all known keys of a tool; undefined for a tool of an MCP server. */
export function keysOfTool(tool: string): { required: string[]; known: string[] } | undefined {
  const shape = shapeOf(tool);
  return (
    shape && { required: Object.keys(shape.required), known: Object.keys({ ...shape.required, ...shape.optional }) }
  );
}

function shapeOf(tool: string): Shape | undefined {
  return Object.hasOwn(SHAPES, tool) ? SHAPES[tool] : undefined;
}

function shapeFault({ required, optional = {} }: Shape, value: unknown, isOpen: boolean): string | undefined {
  if (!isJsonObject(value)) return 'it is no object';
  const missing = Object.keys(required).find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `\`${missing}\` is missing`;
  const kinds = { ...required, ...optional };
  for (const [key, item] of Object.entries(value)) {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    if (kind === undefined) {
      if (!isOpen) return `\`${key}\` is none of its keys (${Object.keys(kinds).join(', ')})`;
    } else if (!isOfKind(kind, item)) return `\`${key}\` is no ${NAMES[kind]}`;
  }
  return undefined;
}

const NAMES: Record<Kind, string> = {
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  texts: 'list of texts',
  edits: 'list of { old_string, new_string }',
};

function isOfKind(kind: Kind, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string';
    case 'texts':
      return Array.isArray(value) && value.every((item) => typeof item === 'string');
    case 'edits':
      return (
        Array.isArray(value) && value.length > 0 && value.every((item) => shapeFault(EDIT, item, false) === undefined)
      );
    default:
      return typeof value === kind;
  }
}
