import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { FORMATS, type FormatName } from '../definitions/schemas/schema-files.js';
import { asFailure, type PlannedFile } from './write-together.js';

/** Collects planned files that belong together: new ones, and changes of existing ones. */
export class FileDraft {
  private readonly planned = new Map<string, PlannedFile>();

  constructor(private readonly root: string) {}

  /** Adds a file that must not exist yet. */
  add(path: string, content: string): void {
    this.planned.set(path, { path, content });
  }

  /** Changes a file. @param beginning the text to change if the file does not exist. */
  edit(path: string, beginning: string, change: (text: string) => string): void {
    const known = this.planned.get(path);
    const before = known ? known.before : this.read(path);
    const content = change(known?.content ?? before ?? beginning);
    this.planned.set(path, { path, content, ...(before !== undefined && { before }) });
  }

  /** The changed files, in the order in which they were first named. */
  files(): PlannedFile[] {
    return [...this.planned.values()].filter(({ content, before }) => content !== before);
  }

  /** @throws AbilityError `scaffold.write_failed` if the path is no file or cannot be read. */
  private read(path: string): string | undefined {
    const file = join(this.root, path);
    try {
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    } catch (error) {
      throw asFailure(path, error);
    }
  }
}

interface SchemaSubject {
  kind: FormatName;
  /** Relative to the project root. */
  path: string;
  /** The folder of the registry, relative to the project root: `registry` or `.system/registry`. */
  registry: string;
}

/** Folder of the JSON Schemas for a project's files. */
export function schemaFolder(registry: string): string {
  return `${registry}/schemas`;
}

/** First line of a scaffolded YAML file, which names its schema. */
export function schemaLine({ kind, path, registry }: SchemaSubject): string {
  const schema = `${schemaFolder(registry)}/${FORMATS[kind].file}`;
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(path), schema)}`;
}
