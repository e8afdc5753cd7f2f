/** lint.diagnose: whether a file of a commit can be read as what its name says: JavaScript by Node itself, and JSON. Nothing of it is run. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { answer } from './call.mjs';
import { commitOf, git } from './git.mjs';
import { folderOf, namedIn } from './workspace.mjs';

const SCRIPTS = new Set(['.js', '.mjs', '.cjs']);

await answer(({ repository, revision, path }) => {
  const folder = folderOf(repository);
  namedIn(folder, path);
  const text = git(folder, 'cat-file', 'blob', `${commitOf(folder, revision)}:${path}`);
  const kind = extname(path);
  if (kind === '.json') return { checked: true, diagnostics: readJson(text) };
  if (SCRIPTS.has(kind)) return { checked: true, diagnostics: readScript(text, kind) };
  return { checked: false, diagnostics: [] };
});

function readJson(text) {
  try {
    JSON.parse(text);
    return [];
  } catch (error) {
    const [, at] = /position (\d+)/.exec(error.message) ?? [];
    const line = text.slice(0, Number(at ?? text.length)).split('\n').length;
    return [{ line, message: error.message.slice(0, 300) }];
  }
}

function readScript(text, kind) {
  const folder = mkdtempSync(join(tmpdir(), 'diagnose-'));
  try {
    // Without a package beside it `.js` would be read as CommonJS only.
    const file = join(folder, `file${kind === '.js' && /^\s*(import|export)\b/m.test(text) ? '.mjs' : kind}`);
    writeFileSync(file, text);
    const env = { PATH: process.env.PATH };
    const { status, stderr } = spawnSync(process.execPath, ['--check', file], {
      encoding: 'utf8',
      timeout: 20_000,
      env,
    });
    if (status === 0) return [];
    const [, line] = /file\.\w+:(\d+)/.exec(stderr) ?? [];
    const message = stderr.split('\n').find((one) => /Error: /.test(one)) ?? 'It cannot be read';
    return [{ line: Number(line ?? 1), message: message.slice(0, 300) }];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
