import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { SKILL_FILE, SKILL_NAME } from '../../../../authoring/agent-documents/agents-md.js';
import {
  agentDocumentsOf,
  findAgentDocuments,
  planAgentDocuments,
} from '../../../../authoring/agent-documents/plan-agent-documents.js';
import type { DocumentPlan } from '../../../../authoring/routing-documents/plan-documents.js';
import { siteFolders } from '../../../../authoring/scaffold/scaffold.js';
import { usageError } from '../../../../contracts/problem.js';
import { isInside } from '../../../../definitions/read-files.js';
import type { DefinitionFlags } from '../../program/definitions.js';

/** What becomes of the documents for AIs that are asked for; of all that carry our markers, where none are. */
export function planAgentDocumentsOf(
  root: string,
  cwd: string,
  { agents, skill }: Pick<DefinitionFlags['docs'], 'agents' | 'skill'>,
): DocumentPlan[] {
  const { registry } = siteFolders(root);
  const isAskedFor = agents || skill !== undefined;
  const wanted = [
    ...(agents ? agentDocumentsOf(root, registry) : []),
    ...(skill === undefined ? [] : [skillIn(root, resolve(cwd, skill), skill)]),
  ];
  return planAgentDocuments(root, registry, isAskedFor ? wanted : findAgentDocuments(root, registry));
}

/**
 * The file of the skill in a folder of skills, or in the folder of the skill itself, relative to the root.
 *
 * @throws AbilityError `usage.invalid` outside of the project, whose abilities the skill is about.
 */
function skillIn(root: string, folder: string, given: string): string {
  const own = basename(folder) === SKILL_NAME ? folder : join(folder, SKILL_NAME);
  const path = realOf(join(own, SKILL_FILE));
  if (isInside(root, path)) return relative(root, path).split(sep).join('/');
  throw usageError(
    `${given} is not in the project ${root}`,
    'Name a folder of skills of this project, such as --skill .claude/skills; copy it from there.',
  );
}

/** A path with links resolved as far as it is there; the file itself is judged by who writes it. */
function realOf(path: string): string {
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : realOf(folder), basename(path));
}
