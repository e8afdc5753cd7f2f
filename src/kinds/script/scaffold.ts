import { fileNameOf } from '../../authoring/scaffold/scaffold.js';
import type { Scaffolded } from '../../authoring/scaffold/scaffolded.js';
import { EXTENSIONS, scriptStub } from '../../authoring/scaffold/script-stub.js';
import { flowYaml } from '../../authoring/write-yaml.js';
import { missingProgram } from '../../planning/scripts/resolve-confinement.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';

export const scaffoldedScript: Scaffolded<'script'> = {
  isStub: true,
  effects: () => 'read',
  inputs: () => [],
  /** A destructive script begins in a box, where this machine has what it needs. */
  plan(draft, site, { language }, { id, title, answer, effects }) {
    const path = `scripts/tools/${fileNameOf(id)}.${EXTENSIONS[language]}`;
    draft.add(path, scriptStub(language, title, answer));
    const machine = new EnvironmentVariables(site.registry.root, site.environment);
    const isBoxed = effects === 'destructive' && missingProgram(machine) === undefined;
    const box = isBoxed ? ', sandbox: { network: none, read: [], write: [] }' : '';
    return `kind: script\nscript: { path: ${flowYaml(path)}, timeout_sec: 60${box} }`;
  },
};
