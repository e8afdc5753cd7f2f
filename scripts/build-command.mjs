// Bundles the command line into dist/command and dist/hosting, so that a command starts in half the time. Run after tsc: it reads dist/.
//
// Each command keeps a chunk of its own, loaded when it is called. Commands that host workers, and the program of the
// runtime, are a bundle of their own, dist/hosting, from which all packages of the SDK are left out: the SDK's worker and the
// activities in it must share one copy of it. The two copies of our own code in the process of such a command meet only where
// it is called, and know each other's errors (`AbilityError`).
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'es-module-lexer';
import { rolldown } from 'rolldown';

const dist = fileURLToPath(new URL('../dist', import.meta.url));
const program = join(dist, 'doors/cli/program');
const commands = join(dist, 'doors/cli/commands');
/** Packages of which a process may hold one copy only, and that no bundle can hold. */
const HOSTING = /^@temporalio\/(worker|activity|testing|core-bridge)(\/|$)/;

/** Whether a module imports one of these packages, itself or through others of ours. */
function hosts(entry) {
  const seen = new Set([entry]);
  for (const file of seen) {
    for (const name of importsOf(file)) {
      if (HOSTING.test(name)) return true;
      // Another command is loaded when it is called, from the bundle that it is in.
      const target = resolve(dirname(file), name);
      if (name.startsWith('.') && !commandFiles.has(target)) seen.add(target);
    }
  }
  return false;
}

const importsRead = new Map();

function importsOf(file) {
  const read = () => parse(readFileSync(file, 'utf8'))[0].filter(({ specifier }) => specifier);
  if (!importsRead.has(file)) importsRead.set(file, read());
  return importsRead.get(file).map(({ specifier }) => specifier);
}

/** Our own modules that are loaded with these, themselves included. */
function loadedWith(...entries) {
  const loaded = new Set(entries.map((name) => join(dist, `${name}.js`)));
  for (const file of loaded) {
    importsOf(file);
    for (const { type, specifier } of importsRead.get(file)) {
      if (type === 'static' && specifier.startsWith('.')) loaded.add(resolve(dirname(file), specifier));
    }
  }
  return loaded;
}

/** The modules of commands: those that the program loads when they are called. */
const commandFiles = new Set(
  readdirSync(program)
    .filter((name) => name.endsWith('.js'))
    .flatMap((name) => importsOf(join(program, name)).map((specifier) => resolve(program, specifier)))
    .filter((file) => file.startsWith(`${commands}/`)),
);

const outside = new Set([...commandFiles].filter(hosts));

/** The name of the bundle of a command: `commands/task/run.js` is `task-run`. */
function bundleOf(file) {
  return relative(commands, file).replace(/\.js$/, '').replaceAll('/', '-');
}

/** Loaded by the process of the runtime. */
const door = join(dist, 'doors/runtime/open-runtime-door.js');

/** Large, loaded only where a store is in S3 or traces are on, and their own modules stay apart until they are needed. */
const APART = /^@(aws-sdk\/|opentelemetry\/(?!api$))/;

/** Loaded by every command, or by those that must start fastest. They stay in small chunks. */
const first = loadedWith('doors/cli/bin', 'doors/runtime/forward-command', 'doors/guard/run-guard');

/**
 * Modules that are loaded together are one chunk: a file costs more than its code. In this order, each without those
 * before it: what each other command loads, what reads and lists definitions, what makes a plan, what checks all.
 */
const groups = [
  ['program', loadedWith('doors/cli/main')],
  ['definitions', loadedWith('definitions/load-registry', 'doors/cli/commands/list', 'doors/answers/list-abilities')],
  ['planning', loadedWith('planning/resolve/resolve-plan')],
  ['lint', loadedWith('doors/cli/commands/lint')],
].map(([name, modules], index, all) => ({
  name,
  priority: all.length - index,
  includeDependenciesRecursively: false,
  test: (id) => modules.has(id) && !first.has(id),
}));

/**
 * Writes one bundle.
 *
 * @param options what is bundled, and what is left out.
 * @param folder in `dist`.
 * @param minify whether names are shortened: a command starts sooner, and its stacks are mapped back where they are shown.
 */
async function write(options, folder, minify) {
  const bundle = await rolldown({ platform: 'node', preserveEntrySignatures: 'allow-extension', ...options });
  const target = join(dist, folder);
  const { output } = await bundle.write({
    dir: target,
    format: 'esm',
    minify,
    sourcemap: minify,
    codeSplitting: { groups: folder === 'command' ? groups : [] },
    sourcemapExcludeSources: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundle.close();
  // Chunks of earlier builds go last: a command that is running may still load one of its own.
  const written = new Set(output.map(({ fileName }) => fileName));
  for (const name of readdirSync(target)) if (!written.has(name)) rmSync(join(target, name), { recursive: true });
}

// Stacks of a worker go to its log and into histories as they are.
await write(
  {
    input: {
      ...Object.fromEntries([...outside].map((file) => [bundleOf(file), file])),
      'runtime-main': join(dist, 'doors/runtime/runtime-main.js'),
      'session-note-main': join(dist, 'worker/session-note-main.js'),
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
  false,
);
await write(
  {
    input: [join(dist, 'doors/cli/bin.js'), door],
    external: [APART],
    plugins: [
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
  true,
);
chmodSync(join(dist, 'command/bin.js'), 0o755);
