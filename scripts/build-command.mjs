// Bundles the command line into dist/command, so that a command starts in half the time. Run after tsc: it reads dist/.
//
// Each command keeps a chunk of its own, loaded when it is called. A command that hosts workers is left outside, with all
// it imports: the SDK's worker and the activities in it must share one copy of the SDK. The two copies of our own code in
// such a process meet only where a command is called, and know each other's errors (`AbilityError`).
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'es-module-lexer';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const commands = join(dist, 'doors/cli/commands');
const target = join(dist, 'command');
/** Packages of which a process may hold one copy only, and that no bundle can hold. */
const HOSTING = /^@temporalio\/(worker|activity|testing|core-bridge)(\/|$)/;

/** Whether a module imports one of these packages, itself or through others of ours. */
function hosts(entry) {
  const seen = new Set([entry]);
  for (const file of seen) {
    for (const name of importsOf(file)) {
      if (HOSTING.test(name)) return true;
      if (name.startsWith('.')) seen.add(resolve(dirname(file), name));
    }
  }
  return false;
}

const importsRead = new Map();

function importsOf(file) {
  const read = () => parse(readFileSync(file, 'utf8'))[0].flatMap(({ specifier }) => (specifier ? [specifier] : []));
  if (!importsRead.has(file)) importsRead.set(file, read());
  return importsRead.get(file);
}

const outside = new Set(
  readdirSync(commands)
    .filter((name) => name.endsWith('.js'))
    .map((name) => join(commands, name))
    .filter(hosts),
);

const bundle = await rolldown({
  input: join(dist, 'doors/cli/bin.js'),
  platform: 'node',
  // Large, loaded where a store is in S3 only, and it keeps its own modules apart until they are needed.
  external: [/^@aws-sdk\//],
  plugins: [
    {
      name: 'commands-that-host-workers',
      resolveId(name, importer) {
        if (HOSTING.test(name)) throw new Error(`${importer} would put ${name} into the bundle`);
        if (!importer || !name.startsWith('.')) return null;
        const file = resolve(dirname(importer), name);
        return outside.has(file) ? { id: `../${relative(dist, file)}`, external: true } : null;
      },
    },
  ],
});
const { output } = await bundle.write({
  dir: target,
  format: 'esm',
  minify: true,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: 'bin.js',
  chunkFileNames: '[name]-[hash].js',
});
await bundle.close();
// Chunks of earlier builds go last: a command that is running may still load one of its own.
const written = new Set(output.map(({ fileName }) => fileName));
for (const name of readdirSync(target)) if (!written.has(name)) rmSync(join(target, name), { recursive: true });
chmodSync(join(target, 'bin.js'), 0o755);
