import type { Registry } from '../../../definitions/registry.js';
import { TokenFolder } from '../../../server/keys/tokens/token-folder.js';
import { pathsOf } from '../../../server/project-paths.js';

/** The tokens of a project. */
export function openTokens({ root, project }: Pick<Registry, 'root' | 'project'>): TokenFolder {
  return new TokenFolder(pathsOf(root).tokens, project.project);
}
