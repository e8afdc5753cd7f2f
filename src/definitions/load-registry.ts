import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { addFile, markBroken } from './add-definitions.js';
import { holdsCases } from './case-files.js';
import { emptyRegistry } from './empty-registry.js';
import { type DefinitionFile, findFiles, type UnreadFile } from './find-files.js';
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
  private last: { from: Found; registry: Registry } | undefined;

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
    const found = this.find();
    this.read = [found.project, ...found.definitions.map(({ read }) => read)];
    if (!this.last || !isSame(this.last.from, found))
      this.last = { from: found, registry: registryOf(this.root, found) };
    // Each look is an object of its own: what scripts hold is remembered for one look, and may have changed since.
    return { ...this.last.registry };
  }

  private find(): Found {
    const { files, unread } = findFiles(foldersOf(this.root));
    return {
      project: this.files.read(join(this.root, PROJECT_FILE)),
      definitions: files.map((file) => ({ ...file, read: this.files.read(file.path) })),
      unread,
    };
  }
}

/** What there is of a registry on the disk. */
interface Found {
  project: ReadFile;
  definitions: (DefinitionFile & { read: ReadFile })[];
  unread: UnreadFile[];
}

/** Whether nothing has changed: a file that did is read anew. */
function isSame(before: Found, now: Found): boolean {
  return (
    before.project === now.project &&
    before.definitions.length === now.definitions.length &&
    before.definitions.every(({ kind, read }, at) => {
      const other = now.definitions[at];
      return kind === other?.kind && read === other.read;
    }) &&
    isDeepStrictEqual(before.unread, now.unread)
  );
}

function registryOf(root: string, { project, definitions, unread }: Found): Registry {
  const registry = emptyRegistry(root, project);
  const digest = createHash('sha256').update(`${project.file}\0${project.digest}\n`);
  for (const { kind, read } of definitions) {
    if (holdsCases(kind, read)) continue;
    digest.update(`${read.file}\0${read.digest}\n`);
    addFile(registry, kind, read);
  }
  for (const { kind, problem } of unread) {
    registry.problems.push(problem);
    if (kind) registry.opaque.push({ kind, problem });
  }
  disableUnread(registry);
  return { ...registry, digest: digest.digest('hex') };
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
