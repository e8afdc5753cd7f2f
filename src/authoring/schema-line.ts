import { posix } from 'node:path';
import { FORMATS, type FormatName } from '../definitions/schemas/schema-files.js';

/** A YAML file of a project whose schema editors learn from its first line. */
export interface SchemaSubject {
  kind: FormatName;
  /** Its path, relative to the project root. */
  path: string;
  /** The folder of the registry, relative to the project root: `registry` or `.system/registry`. */
  registry: string;
}

/** The folder of a project's JSON Schemas for its files. Source: docs/definitions.md. */
export function schemaFolder(registry: string): string {
  return `${registry}/schemas`;
}

/** The first line of a scaffolded YAML file, from which editors learn its schema. Source: docs/definitions.md. */
export function schemaLine({ kind, path, registry }: SchemaSubject): string {
  const schema = `${schemaFolder(registry)}/${FORMATS[kind].file}`;
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(path), schema)}`;
}
