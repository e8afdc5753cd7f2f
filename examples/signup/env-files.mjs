/** `.env.<environment>` files, by which the definitions find a system whose ports are new each time. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MARKER = '# Written by examples/signup, process';

/**
 * Takes the env files of a project for this process. A file that it did not write is never touched.
 *
 * @param {string} root
 * @param {string[]} environments
 * @throws Error when a file was written by hand, or by an example system that is still up.
 */
export function claimEnvFiles(root, environments) {
  const names = environments.map((environment) => `.env.${environment}`);
  for (const name of names) refuseForeign(root, name);
  const wereLeft = names.some((name) => existsSync(join(root, name)));
  const header = `${MARKER} ${process.pid}; removed when it stops.\n`;
  for (const name of names) writeFileSync(join(root, name), header, { mode: 0o600 });
  return {
    names,
    /** Whether a process that was killed had left them. */
    wereLeft,
    /** @param {Record<string, string>} variables */
    write(variables) {
      const lines = Object.entries(variables).map(([name, value]) => `${name}="${value}"\n`);
      for (const name of names) writeFileSync(join(root, name), header + lines.join(''), { mode: 0o600 });
    },
    remove() {
      for (const name of names) if (ownerOf(join(root, name)) === process.pid) rmSync(join(root, name));
    },
  };
}

function refuseForeign(root, name) {
  const path = join(root, name);
  if (!existsSync(path)) return;
  const owner = ownerOf(path);
  if (owner === undefined) throw new Error(`${path} is not one this example wrote; move it away first`);
  if (owner !== process.pid && isAlive(owner)) {
    throw new Error(`The example system is up already (process ${owner}); stop it first, or delete ${path}`);
  }
}

/** The process that wrote a file; undefined for a file that is not ours. */
function ownerOf(path) {
  if (!existsSync(path)) return undefined;
  const [first = ''] = readFileSync(path, 'utf8').split('\n', 1);
  return first.startsWith(MARKER) ? Number.parseInt(first.slice(MARKER.length), 10) : undefined;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
