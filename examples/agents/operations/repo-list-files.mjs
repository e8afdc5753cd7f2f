/** repo.list_files: the files of a repository, without what is built or installed. */
import { answer } from './call.mjs';
import { filesIn, folderOf } from './workspace.mjs';

const MOST = 2_000;

await answer(({ repository }) => {
  const files = filesIn(folderOf(repository), MOST + 1);
  return { files: files.slice(0, MOST), truncated: files.length > MOST };
});
