/** Choices of scaffolds, also for options of the command line; has no imports at run time. */
import type { Effect } from '../contracts/effects.js';

/** Whose an MCP server's session is. */
export const SESSIONS = ['task', 'shared'] as const;

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The effect of each method according to RFC 9110, as far as nothing else is known. */
export const EFFECTS_OF_METHODS: Readonly<Record<(typeof METHODS)[number], Effect>> = {
  GET: 'external_read',
  HEAD: 'external_read',
  OPTIONS: 'external_read',
  // Source: RFC 9110, 9.2.2.
  PUT: 'write_idempotent',
  // Idempotent too, but final: approval and no repetition matter more. Source: docs/imports.md#an-mcp-server.
  DELETE: 'destructive',
  POST: 'write_additive',
  PATCH: 'write_additive',
};

export const LANGUAGES = ['node', 'python', 'shell'] as const;

export const HANDLERS = ['expression', 'script', 'builtin'] as const;

/** Built-in handlers that need no options. */
export const PLAIN_BUILTINS = ['usage', 'credentials_present', 'suggest'] as const;

export const MATCH_FIELDS = ['abilities', 'modules', 'environments', 'kinds', 'effects', 'tags', 'callers'] as const;

export const SCOPE_FIELDS = ['modules', 'environments'] as const;

export const EXAMPLES = ['script', 'none'] as const;

/** Kinds that can be scaffolded whole, from a file in the registry's format. Source: C-46. */
const WHOLE_KINDS = [
  'low-level',
  'high-level',
  'agent',
  'implementation',
  'hook',
  'cases',
  'config',
  'module',
  'capabilities',
  'packs',
] as const;

export type DefinitionKind = (typeof WHOLE_KINDS)[number];
