import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GuardIndex } from './guard-index.js';

/** What a word must look like to be the path of a script. */
export const SCRIPT = /^(?![-/@]).*\.([cm]?[jt]s|py|sh|bash|zsh|rb|pl|php|lua|r|R|sql|ps1)$/;

/**
 * Takes what a file mentions that could not be read: paths of files of the project, addresses, and names of agents' tools.
 *
 * Each may be registered there, and what may be guarded is. Source: docs/hooks.md#before-the-calls-of-an-agents-tool.
 *
 * @param mayGuard whether guards of calls may stand in the file.
 */
export function mentionsOf(root: string, file: string, index: GuardIndex, mayGuard: boolean): void {
  let text: string;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch {
    return;
  }
  const ability = /^\s*(?:operation_key|id):\s*["']?([\w.-]+)/m.exec(text)?.[1] ?? file;
  for (const path of new Set(text.match(/[\w.@/-]+\.\w{1,6}\b/g) ?? [])) {
    if (path !== file && SCRIPT.test(path)) index.scripts.push({ ability, path: path.replace(/^(\.\/)+/, '') });
  }
  for (const [url] of text.matchAll(/\bhttps?:\/\/[^\s'"#,}\]]+/g)) index.endpoints.push({ ability, url });
  if (!mayGuard) return;
  for (const [, name] of text.matchAll(/\btool_name:\s*["']?([\w-]+)/g)) if (name) index.unreadableTools.push(name);
}
