import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { findDocuments } from '../authoring/routing-documents/find-documents.js';
import { answer, environmentOf, operation } from './operation.js';

/** A routing document as it is now. @param path from the root of the project, with `/`. */
export function readPage(root: string, path: string): { path: string; text: string } {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** Source: R-000-01. */
export const listPages = operation({
  summary: 'The routing documents (`ABILITY.md`) of the project, as they are now.',
  right: 'read',
  at: 'GET /v1/pages',
  input: z.strictObject({}),
  answers: answer(
    'All of them, by path.',
    z.strictObject({ pages: z.array(z.strictObject({ path: z.string(), text: z.string() })) }),
  ),
  run: async (project) => {
    const { root } = project.registry();
    return { pages: findDocuments(root).map((path) => readPage(root, path)) };
  },
  // They are about all abilities.
  concerns: {
    each: ({ pages }, may, { project }) => {
      const environment = environmentOf(project, project.registry(), undefined);
      return { pages: may({ ability: undefined, environment }) ? pages : [] };
    },
  },
});
