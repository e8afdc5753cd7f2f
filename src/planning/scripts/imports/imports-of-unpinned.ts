import type { PinnedFile, PlanScript } from '../../../contracts/plan.js';
import { ProjectFiles } from '../script-files.js';
import { followImports } from './follow-imports.js';
import { languageOf } from './language-of.js';

/** What the script of an older plan imports as the project is now; nothing where that cannot be found. */
export function importsOfUnpinned(root: string, { path, interpreter, files = [] }: PlanScript): PinnedFile[] {
  const project = new ProjectFiles(root);
  const main = project.read(path);
  if (typeof main === 'string') return [];
  const also = files.map((file) => project.read(file.path)).filter((file) => typeof file !== 'string');
  return followImports(project, main, languageOf(main, interpreter), also)?.files.map(withoutLive) ?? [];
}

/** What an older plan did not pin is not compared either. */
function withoutLive({ live: _, ...file }: PinnedFile): PinnedFile {
  return file;
}
