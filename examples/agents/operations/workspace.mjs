/**
 * Where agents work: the folder that `WORKSPACE_ROOT` names, without it the folder `workspace` of the project. A model says which
 * repository and which file it means, so every path of an input goes through here, links followed.
 */
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';

/** Not accessible through these operations: the data of git, of the runtime, and files of secrets. */
const CLOSED = /^(\.git|\.system|\.env.*|.*\.(pem|key))$/i;
const LEFT_OUT = new Set(['node_modules', 'dist', 'coverage']);

/** The real path of a folder of the workspace. */
export function folderOf(name) {
  const root = realOf(process.env.WORKSPACE_ROOT || 'workspace', 'The workspace');
  const folder = realOf(resolve(root, name), `The folder ${name}`);
  if (!isIn(root, folder)) throw new Error(`${name} is outside the workspace; name a folder inside it`);
  if (!statSync(folder).isDirectory()) throw new Error(`${name} is not a folder`);
  closedIn(relative(root, folder), name);
  return folder;
}

/** The real path of a file of a folder, to read. */
export function fileIn(folder, path) {
  const wanted = namedIn(folder, path);
  const file = realOf(wanted, path);
  if (!isIn(folder, file)) throw new Error(`${path} leads out of the repository`);
  closedIn(relative(folder, file), path);
  if (!statSync(file).isFile()) throw new Error(`${path} is not a file`);
  return file;
}

/** Where a file of a folder is written, which need not exist; its nearest folder that does has to be inside, too. */
export function placeIn(folder, path) {
  const wanted = namedIn(folder, path);
  const parent = realOf(nearestFolder(dirname(wanted)), path);
  if (!isIn(folder, parent)) throw new Error(`${path} leads out of the repository`);
  closedIn(relative(folder, parent), path);
  const found = lstatSync(wanted, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new Error(`${path} is a folder or a link, and is not written over`);
  return wanted;
}

/** A path as it is given, relative to its repository, and not out of it. */
export function namedIn(folder, path) {
  const wanted = resolve(folder, path);
  if (path.includes('\0') || wanted === folder || !isIn(folder, wanted)) {
    throw new Error(`${path} is no path inside the repository`);
  }
  closedIn(relative(folder, wanted), path);
  return wanted;
}

/** The files of a folder by relative path, in order, without links, closed ones, and what is built or installed. */
export function filesIn(folder, most, at = '') {
  const files = [];
  const entries = readdirSync(join(folder, at), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (files.length >= most) break;
    const path = at ? `${at}/${entry.name}` : entry.name;
    if (CLOSED.test(entry.name) || LEFT_OUT.has(entry.name)) continue;
    if (entry.isDirectory()) files.push(...filesIn(folder, most - files.length, path));
    else if (entry.isFile()) files.push(path);
  }
  return files;
}

function isIn(folder, path) {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function closedIn(path, shown) {
  if (path.split(/[\\/]/).some((part) => CLOSED.test(part))) throw new Error(`${shown} is closed to agents`);
}

function nearestFolder(path) {
  let at = path;
  while (!lstatSync(at, { throwIfNoEntry: false })) at = dirname(at);
  return at;
}

function realOf(path, shown) {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new Error(
      error.code === 'ENOENT' ? `${shown} does not exist` : `${shown} cannot be read: ${basename(error.code)}`,
    );
  }
}
