// Bundles the command line and the library into dist/command and dist/hosting, with the library's types in dist/types: a
// command starts in half the time. Run after tsc: it reads build/.
//
// Each command keeps a chunk of its own, loaded when it is called. Commands that host workers, the program of the runtime,
// and the entries of the library are a bundle of their own, dist/hosting, from which all packages of the SDK are left out: the
// SDK's worker, the activities in it, and the program that uses the library must share one copy of it. The two copies of our
// own code in the process of such a command meet only where it is called, and know each other's errors (`AbilityError`).
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { checkGroups, groups, refuseCircles } from './bundle/command-chunks.mjs';
import { BUILT, importsOf } from './bundle/own-imports.mjs';
import { messagesOfTemporal, wrappedInFunctions } from './bundle/plugins.mjs';

const ROOT = dirname(BUILT);
const DIST = join(ROOT, 'dist');
const program = join(BUILT, 'doors/cli/program');
const commands = join(BUILT, 'doors/cli/commands');
/** Packages of which a process may hold one copy only, and that no bundle can hold. */
const HOSTING = /^@temporalio\/(worker|activity|testing|core-bridge)(\/|$)/;

/** Whether a module imports one of these packages, itself or through others of ours. */
function hosts(entry) {
  const seen = new Set([entry]);
  for (const at of seen) {
    for (const { specifier, file } of importsOf(at)) {
      if (HOSTING.test(specifier)) return true;
      // Another command is loaded when it is called, from the bundle that it is in.
      if (file && !commandFiles.has(file)) seen.add(file);
    }
  }
  return false;
}

/** The modules of commands: those that the program loads when they are called. */
const commandFiles = new Set(
  readdirSync(program)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => importsOf(join(program, name)).map(({ file }) => file))
    .filter((file) => file?.startsWith(`${commands}/`)),
);

const outside = new Set([...commandFiles].filter(hosts));

/** The name of the bundle of a command: `commands/task/run.js` is `task-run`. */
function bundleOf(file) {
  return relative(commands, file).replace(/\.js$/, '').replaceAll('/', '-');
}

/** The entries of the package: their bundles, and their types, which have the place of their module. */
const library = Object.values(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).exports).map((entry) => ({
  bundle: basename(entry.default, '.js'),
  types: relative('dist/types', entry.types),
}));

/** Copies the types of the library, and those that they name. */
function writeTypes() {
  const target = join(DIST, 'types');
  const files = new Set(library.map(({ types }) => join(BUILT, types)));
  for (const file of files) {
    for (const [, path] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()'(\.[^']+)\.js'/g)) {
      files.add(resolve(dirname(file), `${path}.d.ts`));
    }
  }
  rmSync(target, { recursive: true, force: true });
  for (const file of files) cpSync(file, join(target, relative(BUILT, file)));
}

/** Loaded by the process of the runtime. */
const door = join(BUILT, 'doors/runtime/open-runtime-door.js');

/** Large, loaded only where a store is in S3 or traces are on, and their own modules stay apart until they are needed. */
const APART = /^@(aws-sdk\/|opentelemetry\/(?!api$))/;

/**
 * Writes one bundle.
 *
 * @param options what is bundled, and what is left out.
 * @param folder in `DIST`.
 * @param groups of modules that share a chunk.
 * @param minify whether names are shortened: a command starts sooner, and its stacks are mapped back where they are shown.
 * @returns the chunks.
 */
async function write(options, folder, { groups = [], minify }) {
  const bundle = await rolldown({
    ...options,
    platform: 'node',
    plugins: [...options.plugins, wrappedInFunctions()],
    experimental: { nativeMagicString: true },
    preserveEntrySignatures: 'allow-extension',
    // What is loaded on demand by one command may be needed at once by another.
    checks: { ineffectiveDynamicImport: false },
  });
  const target = join(DIST, folder);
  const { output } = await bundle.write({
    dir: target,
    format: 'esm',
    minify,
    sourcemap: minify,
    codeSplitting: { groups },
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  refuseCircles(output);
  // Chunks of earlier builds go last: a command that is running may still load one of its own.
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const name of readdirSync(target)) if (!written.has(name)) rmSync(join(target, name), { recursive: true });
  return output;
}

// Stacks of a worker go to its log and into histories as they are.
await write(
  {
    input: {
      ...Object.fromEntries([...outside].map((file) => [bundleOf(file), file])),
      ...Object.fromEntries(
        library.map(({ bundle, types }) => [bundle, join(BUILT, types.replace(/\.d\.ts$/, '.js'))]),
      ),
      'runtime-main': join(BUILT, 'doors/runtime/runtime-main.js'),
      'session-note-main': join(BUILT, 'worker/session-note-main.js'),
    },
    external: [/^@temporalio\//, APART],
    plugins: [
      {
        name: 'the-door-of-the-runtime',
        // What stands behind it are commands, and the client that these have: the bundle of commands holds both.
        resolveId(name, importer) {
          if (!importer || !name.startsWith('.') || resolve(dirname(importer), name) !== door) return null;
          return { id: `../command/${basename(door)}`, external: true };
        },
      },
    ],
  },
  'hosting',
  { minify: false },
);
const output = await write(
  {
    input: [join(BUILT, 'doors/cli/bin.js'), door],
    external: [APART],
    plugins: [
      messagesOfTemporal(),
      {
        name: 'commands-that-host-workers',
        resolveId(name, importer) {
          if (HOSTING.test(name)) throw new Error(`${importer} would put ${name} into the bundle`);
          if (!importer || !name.startsWith('.')) return null;
          const file = resolve(dirname(importer), name);
          return outside.has(file) ? { id: `../hosting/${bundleOf(file)}.js`, external: true } : null;
        },
      },
    ],
  },
  'command',
  { groups, minify: true },
);
checkGroups(output);
chmodSync(join(DIST, 'command/bin.js'), 0o755);
writeTypes();
