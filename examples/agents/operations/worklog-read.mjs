/** worklog.read: the last 150 lines of docs/IMPLEMENTATION_LOG.md of a repository, none where it has no such file. Source: R-003-26. */
import { existsSync, readFileSync } from 'node:fs';
import { answer } from './call.mjs';
import { fileIn, folderOf, namedIn } from './workspace.mjs';

const PATH = 'docs/IMPLEMENTATION_LOG.md';
const LINES = 150;

await answer(({ repository }) => {
  const folder = folderOf(repository);
  if (!existsSync(namedIn(folder, PATH))) return { found: false, text: '', lines: 0 };
  const lines = readFileSync(fileIn(folder, PATH), 'utf8').replace(/\n$/, '').split('\n');
  const last = lines.slice(-LINES);
  return { found: true, text: last.join('\n'), lines: last.length };
});
