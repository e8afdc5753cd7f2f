import { schemaFiles } from '../../definitions/schemas/schema-files.js';
import { FileDraft } from '../file-draft.js';
import { schemaFolder } from '../schema-line.js';
import type { Scaffold, Site } from './scaffold.js';

/** Plans to overwrite the project's generated JSON Schemas with those of this version. */
export function planSchemas({ registry, folders }: Site): Scaffold {
  const draft = new FileDraft(registry.root);
  for (const [name, text] of schemaFiles()) draft.edit(`${schemaFolder(folders.registry)}/${name}`, '', () => text);
  const files = draft.files();
  return {
    files,
    abilities: [],
    notes: files.length > 0 ? [] : ['The schemas are those of this version already.'],
    next:
      files.length === 0
        ? []
        : [{ command: 'ability lint', purpose: 'see whether the definitions hold under this version' }],
  };
}
