import { posix } from 'node:path';
import { FORMATS, type FormatName } from '../definitions/schemas/schema-files.js';

export interface SchemaSubject {
  kind: FormatName;
  /** Relative to the project root. */
  path: string;
  /** The folder of the registry, relative to the project root: `registry` or `.system/registry`. */
  registry: string;
}

/** Folder of the JSON Schemas for a project's files. Source: docs/definitions.md. */
export function schemaFolder(registry: string): string {
  return `${registry}/schemas`;
}

/** First line of a scaffolded YAML file, which names its schema. Source: docs/definitions.md. */
export function schemaLine({ kind, path, registry }: SchemaSubject): string {
  const schema = `${schemaFolder(registry)}/${FORMATS[kind].file}`;
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(path), schema)}`;
}
