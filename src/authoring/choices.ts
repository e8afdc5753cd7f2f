/** The choices of a scaffold. Imports nothing at run time, so that a command line may name them. */

/** The kinds of implementations. */
export const KINDS = ['script', 'mcp', 'api'] as const;

/** The methods of HTTP that an implementation may use. */
export const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Languages that stubs are written in. */
export const LANGUAGES = ['node', 'python', 'shell'] as const;

/** The possible answers of a scaffolded hook. */
export const HANDLERS = ['expression', 'script', 'builtin'] as const;

/** Built-in handlers that need no options. */
export const PLAIN_BUILTINS = ['usage', 'credentials_present', 'suggest'] as const;

/** The names that `match` of a hook may have. */
export const MATCH_FIELDS = ['abilities', 'modules', 'environments', 'kinds', 'effects', 'tags', 'callers'] as const;

/** The names that a `scope` may have. */
export const SCOPE_FIELDS = ['modules', 'environments'] as const;

/** The examples a project may begin with. */
export const EXAMPLES = ['script', 'none'] as const;

/** The kinds that can be scaffolded whole, from a file in the form of the registry's. Source: C-46. */
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

/** One of {@link WHOLE_KINDS}. */
export type WholeKind = (typeof WHOLE_KINDS)[number];
