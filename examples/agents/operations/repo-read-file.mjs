/** repo.read_file: a file of a repository as it is on disk. */
import { readFileSync } from 'node:fs';
import { answer, beginning } from './call.mjs';
import { fileIn, folderOf } from './workspace.mjs';

const MOST = 100_000;

await answer(({ repository, path }) => beginning(readFileSync(fileIn(folderOf(repository), path), 'utf8'), MOST));
