import { type ListedAbilities, listedAbilities } from '../../../../src/authoring/routing-documents/listed-abilities.js';
import { type DocumentUpdate, updateDocument } from '../../../../src/authoring/routing-documents/update-document.js';
import type { Problem } from '../../../../src/contracts/problem.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { makeProject, type ProjectFiles } from '../../../fixtures/project-folder.js';
import { lowLevel, SCRIPT, SCRIPT_FILE } from '../../temporary-project.js';

/** A low-level ability of these modules. */
export function operationIn(modules: string, key: string, summary = `Does ${key}.`): ProjectFiles {
  return lowLevel(key, `summary: ${JSON.stringify(summary)}`, `scope: { modules: [${modules}] }`, SCRIPT);
}

/** A workflow of these modules. */
export function workflowIn(modules: string, id: string, summary = `Runs ${id}.`): ProjectFiles {
  const lines = [`id: ${id}`, 'type: workflow', 'version: 1', `summary: ${JSON.stringify(summary)}`];
  return {
    [`registry/high-level/${id}.yaml`]: [
      ...lines,
      `scope: { modules: [${modules}] }`,
      'steps: [{ id: one, let: { n: 1 } }]',
    ].join('\n'),
  };
}

/** The abilities of a temporary project. */
export function poolOf(...files: ProjectFiles[]): ListedAbilities {
  const project = makeProject(Object.assign({}, SCRIPT_FILE, ...files));
  try {
    return listedAbilities(loadRegistry(project.root));
  } finally {
    project.remove();
  }
}

/** The update of a document. @throws when it is refused. */
export function updated(text: string, pool: ListedAbilities, file = 'ABILITY.md'): DocumentUpdate {
  const update = updateDocument(file, text, pool);
  if (Array.isArray(update)) throw new Error(`refused: ${JSON.stringify(update)}`);
  return update;
}

/** The problems of a document. @throws when it is not refused. */
export function problemsOf(text: string, pool: ListedAbilities, file = 'ABILITY.md'): Problem[] {
  const update = updateDocument(file, text, pool);
  if (!Array.isArray(update)) throw new Error(`not refused, but ${update.text}`);
  return update;
}

/** The rows of a document's tables, by id, without header lines. */
export function rowsOf(text: string): Record<string, string> {
  const rows = text.split('\n').filter((line) => /^\| ?[a-z]/.test(line));
  return Object.fromEntries(rows.map((row) => [row.split('|')[1]?.trim(), row]));
}

/** Both sections without content. */
export const EMPTY = [
  '# Mine',
  '',
  '<!-- ability:high-level -->',
  '<!-- /ability:high-level -->',
  '',
  'Between.',
  '',
  '<!-- ability:low-level -->',
  '<!-- /ability:low-level -->',
  'After.',
  '',
].join('\n');
