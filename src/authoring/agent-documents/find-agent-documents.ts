import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf, filesNamed } from '../routing-documents/find-documents.js';
import { hasMarkers } from './marked-text.js';
import { runtimeRulesFile } from './rules.js';
import { SKILL_FILE } from './skill-md.js';

/**
 * The documents for AIs of a project that carry our markers, relative to its root: `AGENTS.md` at the root and beside the
 * definitions, and skills, also in the hidden folders of agents' tools (`.claude/skills`). Those of other authors are theirs.
 */
export function findAgentDocuments(root: string, registry: string): string[] {
  const agents = ['AGENTS.md', runtimeRulesFile(registry)];
  const skills = [...filesNamed(root, SKILL_FILE), ...skillsOfTools(root)];
  return [...new Set([...agents, ...skills])].filter((file) => hasMarkers(textOf(join(root, file)) ?? ''));
}

/** The text of a file; undefined where there is none. */
export function textOf(path: string): string | undefined {
  return existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : undefined;
}

function skillsOfTools(root: string): string[] {
  const tools = entriesOf(root).filter((entry) => entry.isDirectory() && /^\.[a-z]/.test(entry.name));
  return tools.flatMap(({ name: tool }) =>
    entriesOf(join(root, tool, 'skills'))
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${tool}/skills/${name}/${SKILL_FILE}`),
  );
}
