/** A copy of the example project in which scenarios run, so that the checkout stays as it is. */
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['ability.yaml', 'ABILITY.md', 'AGENTS.md', 'registry', 'integration', 'examples', 'scripts/tools'];

/**
 * Copies the example project. Its packages are those of the checkout.
 *
 * @param {string} folder made where it does not exist
 * @throws Error when it has something in it: nothing is overwritten.
 */
export function copyProject(folder) {
  mkdirSync(folder, { recursive: true });
  if (readdirSync(folder).length > 0) throw new Error(`${folder} is not empty; name a new folder`);
  for (const part of PARTS) {
    cpSync(join(CHECKOUT, part), join(folder, part), { recursive: true });
  }
  cpSync(join(CHECKOUT, 'scripts/scenarios/ai-planner.mjs'), join(folder, 'scripts/ai-planner.mjs'));
  symlinkSync(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'), 'dir');
}

/** Writes files of a scenario, by their path in the project. */
export function writeFiles(root, files) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
