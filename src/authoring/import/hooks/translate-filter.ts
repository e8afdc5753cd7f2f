/** The input that a filter of each tool applies to. */
const KEYS: Readonly<Record<string, string>> = {
  Bash: 'command',
  Write: 'file_path',
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Read: 'file_path',
  WebFetch: 'url',
};

/** A translated filter: its tool, and bare CEL over `tool_name` and `tool_input`. */
export type Filter = { tool: string; condition: string | undefined } | { why: string };

/**
 * Translates `if: "Bash(rm *)"` of a settings file. A guard that runs too often costs time, one that runs too
 * seldom lets calls pass: the pattern may match after any non-word character, so that no second command of a line
 * is missed. Source: docs/hooks.md#importing-them.
 */
export function translateFilter(text: string): Filter {
  const [, tool, pattern] = /^\s*(\w+)(?:\((.*)\))?\s*$/s.exec(text) ?? [];
  if (tool === undefined) return { why: `nobody can read its \`if\`: ${text}` };
  if (pattern === undefined || pattern === '' || pattern === '*') return { tool, condition: undefined };
  const key = Object.hasOwn(KEYS, tool) ? KEYS[tool] : undefined;
  if (key === undefined) return { why: `its \`if\` has a pattern for ${tool}, which has none here` };
  // `:*` is the former prefix syntax; a blank before the star is optional.
  const plain = pattern.replace(/:\*$/, '*').replace(/ \*$/, '*');
  const parts = plain.split(/\*+/).map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'));
  const source = parts.join('.*');
  const anchor = tool === 'Bash' ? '(?s)(^|\\W)' : '(?s)';
  return { tool, condition: `tool_input.${key}.matches(${JSON.stringify(anchor + source)})` };
}
