import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asFailure, type PlannedFile } from './write-together.js';

/** Files that belong together, while they are planned: new ones, and existing ones with additions. */
export class FileDraft {
  private readonly planned = new Map<string, PlannedFile>();

  constructor(private readonly root: string) {}

  /** A file that must not exist yet. */
  add(path: string, content: string): void {
    this.planned.set(path, { path, content });
  }

  /** A file that exists, changed; or a new one, made from what it begins with. */
  edit(path: string, beginning: string, change: (text: string) => string): void {
    const known = this.planned.get(path);
    const before = known ? known.before : this.read(path);
    const content = change(known?.content ?? before ?? beginning);
    this.planned.set(path, { path, content, ...(before !== undefined && { before }) });
  }

  /** All of them, in the order in which they were first named. */
  files(): PlannedFile[] {
    return [...this.planned.values()].filter(({ content, before }) => content !== before);
  }

  /** @throws AbilityError `scaffold.write_failed` for a path that is no file, or may not be read. */
  private read(path: string): string | undefined {
    const file = join(this.root, path);
    try {
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    } catch (error) {
      throw asFailure(path, error);
    }
  }
}
