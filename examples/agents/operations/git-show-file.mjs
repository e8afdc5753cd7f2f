/** git.show_file: a file as it is in a commit. */
import { answer, beginning } from './call.mjs';
import { commitOf, git } from './git.mjs';
import { folderOf, namedIn } from './workspace.mjs';

const MOST = 100_000;

await answer(({ repository, revision, path }) => {
  const folder = folderOf(repository);
  namedIn(folder, path);
  const commit = commitOf(folder, revision);
  // A path of git has no `./` before it.
  const found = git(folder, 'ls-tree', '-z', '--full-tree', commit, '--', path).split('\0')[0];
  if (!found) return { found: false, text: '', truncated: false };
  const [, type, id] = /^\d+ (\w+) ([0-9a-f]+)\t/.exec(found) ?? [];
  if (type !== 'blob') throw new Error(`${path} is not a file in ${revision}`);
  return { found: true, ...beginning(git(folder, 'cat-file', 'blob', id), MOST) };
});
