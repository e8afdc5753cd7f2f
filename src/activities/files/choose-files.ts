import type { FileValue, PlanOutputFile } from '../../contracts/files.js';
import { matchesPath } from '../../text/glob.js';
import { CallFailure } from '../call/call-failure.js';
import type { CallFiles } from './call-files.js';

export interface Entry {
  path: string;
  isFile: boolean;
}

const NAMED_IN_MESSAGE = 10;

/** Keeps the files a contract names, none if one is missing. @throws CallFailure `file.missing`; as `keep`. */
export async function takeChosen<Left extends Entry>(
  contract: Readonly<Record<string, PlanOutputFile>>,
  found: readonly Left[],
  files: Pick<CallFiles, 'made'>,
  keep: (entry: Left) => Promise<FileValue>,
): Promise<void> {
  const chosen = Object.entries(contract).map(([name, file]) => ({ name, file, entries: choose(name, file, found) }));
  for (const { name, file, entries } of chosen) {
    const kept: FileValue[] = [];
    for (const entry of entries) kept.push(await keep(entry));
    files.made[name] = file.many ? kept : (kept[0] as FileValue);
  }
}

/** The entries of one name, sorted by path. @throws CallFailure `file.missing`. */
function choose<Left extends Entry>(name: string, { glob, many }: PlanOutputFile, found: readonly Left[]): Left[] {
  const entries = found.filter(({ path }) => matchesPath(glob, path));
  const strange = entries.find(({ isFile }) => !isFile);
  if (strange) {
    throw missing(`\`${name}\` (${glob}) must be a file, but ${strange.path} is a link or not a regular file`, found);
  }
  if (many || entries.length === 1) return entries;
  if (entries.length === 0) throw missing(`The call left no file for \`${name}\` (${glob})`, found);
  const paths = entries.map(({ path }) => path);
  throw missing(
    `The call left ${entries.length} files for \`${name}\` (${glob}), but exactly one is required: ${listed(paths)}`,
    [],
  );
}

function missing(message: string, found: readonly Entry[]): CallFailure {
  const paths = found.map(({ path }) => path);
  const there = found.length === 0 ? 'The folder is empty.' : `The folder contains ${listed(paths)}.`;
  return new CallFailure({
    code: 'file.missing',
    message: message.includes(' but exactly one is required') ? message : `${message}. ${there}`,
    details: { files: paths.slice(0, 100) },
    suggestion: 'Write it into {output_dir}, correct `output_files`, or set `many: true` for any number of files.',
  });
}

function listed(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED_IN_MESSAGE).join(', ');
  return paths.length > NAMED_IN_MESSAGE ? `${named} and ${paths.length - NAMED_IN_MESSAGE} more` : named;
}
