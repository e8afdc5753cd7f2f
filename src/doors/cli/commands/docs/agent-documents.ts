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
import { isInside } from '../../../../disk/is-inside.js';
import type { DefinitionFlags } from '../../program/definitions.js';

/** Plans the requested documents for AIs; if none is requested, all that carry our markers. */
export function planAgentDocumentsOf(
  root: string,
  cwd: string,
  { agents, skill }: Pick<DefinitionFlags['docs'], 'agents' | 'skill'>,
): DocumentPlan[] {
  const { registry } = siteFolders(root);
  const isRequested = agents || skill !== undefined;
  const wanted = [
    ...(agents ? agentDocumentsOf(root, registry) : []),
    ...(skill === undefined ? [] : [skillIn(root, resolve(cwd, skill), skill)]),
  ];
  return planAgentDocuments(root, registry, isRequested ? wanted : findAgentDocuments(root, registry));
}

/** Relative to the root; `folder` may be the skill's own. @throws AbilityError `usage.invalid` if outside. */
function skillIn(root: string, folder: string, given: string): string {
  const own = basename(folder) === SKILL_NAME ? folder : join(folder, SKILL_NAME);
  const path = realOf(join(own, SKILL_FILE));
  if (isInside(root, path)) return relative(root, path).split(sep).join('/');
  throw usageError(
    `${given} is not in the project ${root}`,
    'Name a folder of skills of this project, such as --skill .claude/skills; copy it from there.',
  );
}

/** Resolves links in the existing part of a path; the writer checks the file itself. */
function realOf(path: string): string {
  const folder = dirname(path);
  return join(existsSync(folder) ? realpathSync(folder) : realOf(folder), basename(path));
}
