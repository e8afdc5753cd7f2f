import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Finding } from '../../contracts/findings.js';
import { foldersOf } from '../../definitions/find-project.js';
import { findingOf } from '../../planning/finding-of.js';
import type { LintedProject } from '../linted-project.js';

const FOLDERS = ['low-level', 'high-level', 'implementations', 'config'] as const;

/** Names of files that hold definitions, as somebody believes: `a.YAML`, `a.yaml.txt`, `a.json`. */
const MEANT = /\.(ya?ml(\.txt)?|jsonc?|json5)$/i;

const READ = /\.ya?ml$/;

/** Finds files that lie among the definitions and that no ending makes one. */
export function* checkUnreadFiles({ registry: { root } }: LintedProject): Generator<Finding> {
  const { registry, hooks } = foldersOf(root);
  for (const folder of [...FOLDERS.map((name) => join(registry, name)), hooks]) {
    if (!existsSync(folder)) continue;
    for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile() || !MEANT.test(entry.name) || READ.test(entry.name)) continue;
      const file = relative(root, join(entry.parentPath, entry.name));
      yield findingOf('lint.file_not_read', `Nothing reads ${file}`, { file });
    }
  }
}
