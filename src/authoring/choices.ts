/** Choices of scaffolds, also for options of the command line; has no imports at run time. */

export const KINDS = ['script', 'mcp', 'api'] as const;

/** Whose an MCP server's session is. */
export const SESSIONS = ['task', 'shared'] as const;

export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

export const LANGUAGES = ['node', 'python', 'shell'] as const;

export const HANDLERS = ['expression', 'script', 'builtin'] as const;

/** Built-in handlers that need no options. */
export const PLAIN_BUILTINS = ['usage', 'credentials_present', 'suggest'] as const;

export const MATCH_FIELDS = ['abilities', 'modules', 'environments', 'kinds', 'effects', 'tags', 'callers'] as const;

export const SCOPE_FIELDS = ['modules', 'environments'] as const;

export const EXAMPLES = ['script', 'none'] as const;

/** Kinds that can be scaffolded whole, from a file in the registry's format. Source: C-46. */
export const WHOLE_KINDS = [
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
