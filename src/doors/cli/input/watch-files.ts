import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { foldersOf, MODULES, PROJECT_FILE } from '../../../definitions/find-project.js';
import type { Registry } from '../../../definitions/registry.js';

/** Polling is cheaper than notifications: it works the same on every file system, and never misses a rename. */
const LOOK_MS = 250;

export function watchedFolders(registry: Registry): string[] {
  const { root } = registry;
  const { registry: definitions, hooks } = foldersOf(root);
  const { operations, workflows, implementations, configs, hooks: phases } = registry;
  const defined = [operations, workflows, implementations, configs, phases].flatMap((map) => [...map.values()]);
  const scripts = scriptsIn(defined).map((path) => dirname(resolve(root, path)));
  return [...new Set([...foldersIn(definitions), ...foldersIn(hooks), ...foldersIn(join(root, MODULES)), ...scripts])];
}

/** Waits until files have changed and then settled. @param before their {@link fingerprint}. */
export async function untilChange(
  root: string,
  folders: readonly string[],
  before: string,
  signal: AbortSignal,
  files: readonly string[] = [],
): Promise<void> {
  let last = before;
  while (!signal.aborted) {
    // Ends early when it is aborted.
    await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
    const now = fingerprint(root, folders, files);
    if (now !== before && now === last) return;
    last = now;
  }
}

/** Changes whenever a file in the folders, `ability.yaml` or one of `more` changes. */
export function fingerprint(root: string, folders: readonly string[], more: readonly string[] = []): string {
  const files = folders.flatMap((folder) => {
    return existsSync(folder)
      ? readdirSync(folder)
          .map((name) => join(folder, name))
          .sort()
      : [];
  });
  const stamps = [...[PROJECT_FILE, ...more].map((file) => join(root, file)), ...files].map((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    return `${path} ${stat?.mtimeMs ?? 'gone'} ${stat?.size ?? ''}`;
  });
  return stamps.join('\n');
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return [folder];
  const inner = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return [folder, ...inner.flatMap(({ name }) => foldersIn(join(folder, name)))];
}

function scriptsIn(value: unknown): string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => {
    const path = key === 'script' ? (item as { path?: unknown } | null)?.path : undefined;
    return typeof path === 'string' ? [path] : scriptsIn(item);
  });
}
