/** repo.write_file: writes a file of a repository, whole or not at all. Written twice it is the same file. */
import { mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { answer } from './call.mjs';
import { folderOf, placeIn } from './workspace.mjs';

await answer(({ repository, path, text }) => {
  const folder = folderOf(repository);
  const file = placeIn(folder, path);
  const before = statSync(file, { throwIfNoEntry: false });
  mkdirSync(dirname(file), { recursive: true });
  const half = `${file}.${process.pid}.half`;
  try {
    writeFileSync(half, text, { flag: 'wx', mode: before?.mode ?? 0o644 });
    renameSync(half, file);
  } finally {
    rmSync(half, { force: true });
  }
  return { path, created: before === undefined, bytes: Buffer.byteLength(text) };
});
