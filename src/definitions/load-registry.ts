import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { addFile, markBroken } from './add-definitions.js';
import { holdsCases } from './case-files.js';
import { emptyRegistry } from './empty-registry.js';
import { definitionFiles, linkedFolders, misplacedFiles, refusedFolders } from './find-files.js';
import { findProjectRoot, foldersOf, PROJECT_FILE } from './find-project.js';
import { findUnread } from './find-unread.js';
import { FileCache, type ReadFile, sourceOf } from './read-files.js';
import type { Registry } from './registry.js';
import type { YamlSource } from './yaml-source.js';

/** Loads the registry of one project, and loads it again only as far as files changed. */
export class RegistryLoader {
  readonly root: string;
  private readonly files: FileCache;
  private read: ReadFile[] = [];

  constructor(root: string) {
    this.root = root;
    this.files = new FileCache(root);
  }

  /** Every file of the last {@link load} that is YAML, the test cases among them, in the order of the files. */
  sources(): YamlSource[] {
    return this.read.flatMap((read) => sourceOf(read) ?? []);
  }

  /**
   * Reads `ability.yaml` and all definitions.
   *
   * @throws AbilityError when `ability.yaml` itself is broken or there are two registries; everything else that is
   * broken only disables what it defines.
   */
  load(): Registry {
    const folders = foldersOf(this.root);
    const projectFile = this.files.read(join(this.root, PROJECT_FILE));
    this.read = [projectFile];
    const registry = emptyRegistry(this.root, projectFile);
    const digest = createHash('sha256').update(`${projectFile.file}\0${projectFile.digest}\n`);
    for (const { kind, path } of definitionFiles(folders)) {
      const read = this.files.read(path);
      this.read.push(read);
      if (holdsCases(kind, read)) continue;
      digest.update(`${read.file}\0${read.digest}\n`);
      addFile(registry, kind, read);
    }
    const unread = [...refusedFolders(folders), ...misplacedFiles(folders), ...linkedFolders(folders)];
    for (const { kind, problem } of unread) {
      registry.problems.push(problem);
      if (kind) registry.opaque.push({ kind, problem });
    }
    disableUnread(registry);
    return { ...registry, digest: digest.digest('hex') };
  }
}

/** Loads the registry of the project a folder belongs to. */
export function loadRegistry(from: string, given?: string): Registry {
  return new RegistryLoader(findProjectRoot(from, given)).load();
}

/** What nothing reads is told; a configuration that is partly so may bind guards there, so it disables its ability. */
function disableUnread(registry: Registry): void {
  for (const { problem, config: ability } of findUnread(registry)) {
    if (ability === undefined) registry.problems.push(problem);
    else {
      registry.configs.delete(ability);
      markBroken(registry, 'config', ability, problem);
    }
  }
}
