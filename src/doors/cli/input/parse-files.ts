import { resolve } from 'node:path';
import type { GivenFiles } from '../../../client/index.js';
import { FILE_LIMITS } from '../../../contracts/files.js';
import { AbilityError } from '../../../contracts/problem.js';
import type { Project } from '../../../definitions/formats/project.js';
import { parseBytes } from '../../../text/byte-size.js';

/** The files of `--file name=PATH`, by their names. @throws AbilityError `usage.invalid`. */
export function parseFiles(assignments: readonly string[], { policy }: Project, cwd: string): GivenFiles {
  const paths = new Map<string, string[]>();
  for (const assignment of assignments) {
    const [, name, path] = /^([^=]+)=(.+)$/s.exec(assignment) ?? [];
    if (name === undefined || path === undefined) {
      throw new AbilityError({
        code: 'usage.invalid',
        message: `--file ${assignment} is no assignment`,
        suggestion: 'Write --file name=PATH, with the name of the input.',
      });
    }
    paths.set(name, [...(paths.get(name) ?? []), resolve(cwd, path)]);
  }
  const maxBytes = policy.max_file === undefined ? undefined : parseBytes(policy.max_file);
  return { paths: Object.fromEntries(paths), maxBytes: maxBytes ?? FILE_LIMITS.file_bytes };
}
