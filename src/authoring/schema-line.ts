import { posix } from 'node:path';
import type { FileKindName } from '../definitions/registry.js';

/** The kinds of files a schema is named for. */
export type SchemaKind = FileKindName | 'cases' | 'project';

/**
 * The names of the generated JSON Schemas in `registry/schemas/`.
 *
 * `ability_impl` and `hook_impl` are the names of the sources (R-002-09, R-002-11).
 */
const SCHEMA_NAMES: Record<SchemaKind, string> = {
  'low-level': 'low-level.schema.yaml',
  'high-level': 'high-level.schema.yaml',
  implementations: 'ability_impl.schema.yaml',
  config: 'config.schema.yaml',
  hooks: 'hook_impl.schema.yaml',
  cases: 'cases.schema.yaml',
  project: 'project.schema.yaml',
};

/** A YAML file of a project that editors are told the schema of. */
export interface SchemaSubject {
  kind: SchemaKind;
  /** Its path, relative to the project root. */
  path: string;
  /** The folder of the registry, relative to the project root: `registry` or `.system/registry`. */
  registry: string;
}

/**
 * The first line of a scaffolded YAML file, from which editors learn its schema.
 *
 * THE PLACE TO CONNECT: what generates the schemas into a project decides their names and folder. Source: design,
 * section 4.
 */
export function schemaLine({ kind, path, registry }: SchemaSubject): string {
  const schema = `${registry}/schemas/${SCHEMA_NAMES[kind]}`;
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(path), schema)}`;
}
