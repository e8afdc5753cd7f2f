import { existsSync, readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { foldersOf } from '../../definitions/find-project.js';
import type { ImportOptions } from './planned-import.js';

/** The lines above an imported definition: its schema for editors, where the project has one, and where it comes from. */
export function commentsFor(root: string, file: string, { command }: ImportOptions): string[] {
  const schema = schemaFor(root, file);
  return [
    ...(schema === undefined ? [] : [`yaml-language-server: $schema=${schema}`]),
    `Made by \`${command}\`. Edit it as you like: the next import keeps what you changed.`,
  ];
}

/** The JSON Schema of a file's kind, relative to the file. */
function schemaFor(root: string, file: string): string | undefined {
  const { registry } = foldersOf(root);
  const folder = join(registry, 'schemas');
  if (!existsSync(folder)) return undefined;
  const [kind] = relative(registry, join(root, file)).split(sep);
  const name = readdirSync(folder).find((entry) => entry.startsWith(`${kind}.schema.`));
  if (name === undefined) return undefined;
  return relative(join(root, dirname(file)), join(folder, name))
    .split(sep)
    .join('/');
}
