/** git.diff: what changed between two commits, as a unified diff. */
import { answer, beginning } from './call.mjs';
import { commitOf, git } from './git.mjs';
import { folderOf } from './workspace.mjs';

const MOST = 200_000;

await answer(({ repository, base, head }) => {
  const folder = folderOf(repository);
  const range = [known(folder, base), known(folder, head)];
  const form = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames'];
  const files = git(folder, 'diff', ...form, '--name-only', '-z', ...range, '--');
  const { text: diff, truncated } = beginning(git(folder, 'diff', ...form, '--unified=3', ...range, '--'), MOST);
  return { diff, truncated, files: files.split('\0').filter((path) => path !== '') };
});

function known(folder, name) {
  try {
    return commitOf(folder, name);
  } catch {
    throw new Error(`The repository has no commit ${name}`);
  }
}
