import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { type AbilityPool, abilityPool } from './ability-pool.js';
import { newDocument, withSections } from './document-template.js';
import { loadDocument } from './load-document.js';
import { type DocumentUpdate, updateDocument } from './update-document.js';

/** What is to become of a document, before anything is written. */
export type DocumentPlan = { file: string } & (
  | {
      status: 'planned';
      /** Absolute, links resolved. */
      path: string;
      /** As it is; undefined where it is not there yet. */
      before: string | undefined;
      update: DocumentUpdate;
    }
  /** It is to stay as it is. */
  | { status: 'broken'; problems: Problem[] }
);

/** What keeping documents in step with the abilities of a project comes to. Writes nothing. */
export function planDocuments(registry: Registry, files: readonly string[]): DocumentPlan[] {
  const pool = abilityPool(registry);
  return files.map((file) => planDocument(registry.root, file, pool, (text) => text));
}

/** The same for documents that are to be there: what has no markers gets them, what is not there is written anew. */
export function planAdditions(registry: Registry, files: readonly string[]): DocumentPlan[] {
  const pool = abilityPool(registry);
  return files.map((file) => {
    if (existsSync(join(registry.root, file))) return planDocument(registry.root, file, pool, withSections);
    const path = join(registry.root, file);
    return planned(file, path, undefined, updateDocument(file, newDocument(file), pool));
  });
}

/** @param equip what a document without markers becomes. */
function planDocument(root: string, file: string, pool: AbilityPool, equip: (text: string) => string): DocumentPlan {
  const loaded = loadDocument(root, file);
  if ('code' in loaded) return { file, status: 'broken', problems: [loaded] };
  const { path, text } = loaded;
  const update = updateDocument(file, text, pool);
  if (Array.isArray(update) || update.hasMarkers) return planned(file, path, text, update);
  const equipped = equip(text);
  const again = updateDocument(file, equipped, pool);
  if (equipped === text || Array.isArray(again) || again.hasMarkers) return planned(file, path, text, again);
  const message = 'A code block of the document is not closed, so tables at its end would be a part of it';
  return { file, status: 'broken', problems: [{ code: 'docs.invalid', message, location: { file } }] };
}

function planned(
  file: string,
  path: string,
  before: string | undefined,
  update: DocumentUpdate | Problem[],
): DocumentPlan {
  if (Array.isArray(update)) return { file, status: 'broken', problems: update };
  return { file, status: 'planned', path, before, update };
}
