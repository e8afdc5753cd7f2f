// Builds build/, the compiled modules, and from them dist/, which is packed, unless they are what these very sources make. Decided by content alone: each file that goes into a build and
// each that came out of the last one is hashed, so that an edited, lost or older file on either side is built anew.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What goes in: sources, how they are built, and the exact versions of what builds them. */
const SOURCES = ['src', 'scripts', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'package-lock.json'];
const OUTPUT = ['build', 'dist'];
/** Files that commands fill in and write; neither the compiler nor the bundler copies them. */
const TEMPLATES = 'authoring/templates';
/** A fresh install removes it, and so builds. */
const NOTE = join(ROOT, 'node_modules/.cache/ability-build.json');

/** SHA-256 of the names and contents of files, those in folders too. */
function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths.flatMap(filesIn)) {
    const content = readFileSync(join(ROOT, path));
    hash.update(`${path}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

function filesIn(path) {
  const at = join(ROOT, path);
  if (!existsSync(at)) return [];
  if (!statSync(at).isDirectory()) return [path];
  return readdirSync(at)
    .sort()
    .flatMap((name) => filesIn(join(path, name)));
}

function readNote() {
  try {
    return JSON.parse(readFileSync(NOTE, 'utf8'));
  } catch {
    return {};
  }
}

function run(program, ...args) {
  const { status, error } = spawnSync(program, args, {
    cwd: ROOT,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (error) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

const sources = `${process.version} ${digestOf(SOURCES)}`;
const note = readNote();
if (note.sources === sources && note.output === digestOf(OUTPUT)) {
  console.log('dist/ is built from these sources already');
} else {
  rmSync(NOTE, { force: true });
  // No module of a source that is no more.
  rmSync(join(ROOT, 'build'), { recursive: true, force: true });
  run('tsc', '-p', 'tsconfig.build.json');
  run(process.execPath, 'scripts/check-codes.mjs');
  for (const folder of OUTPUT) {
    const target = join(ROOT, folder, TEMPLATES);
    rmSync(target, { recursive: true, force: true });
    cpSync(join(ROOT, 'src', TEMPLATES), target, { recursive: true });
  }
  run(process.execPath, 'scripts/build-bundles.mjs');
  run(process.execPath, 'scripts/build-workflow-bundle.mjs');
  run(process.execPath, 'scripts/build-page.mjs');
  // Sources that changed meanwhile are not those that were built.
  if (sources === `${process.version} ${digestOf(SOURCES)}`) {
    mkdirSync(dirname(NOTE), { recursive: true });
    writeFileSync(NOTE, JSON.stringify({ sources, output: digestOf(OUTPUT) }));
  }
}
