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

const withTasks = loadedWith('doors/cli/commands/run', 'doors/cli/commands/task/list');

/**
 * Modules that are loaded together are one chunk, since a file costs more than its code. In this order, each without those
 * before it: what each other command loads, what reads and lists definitions, what makes plans of them, what checks them.
 */
const groups = [
  ['program', loadedWith('doors/cli/main')],
  [
    'definitions',
    loadedWith(
      'planning/resolve/resolve-environment',
      'doors/cli/commands/list',
      'doors/answers/list-abilities',
      'definitions/load-registry',
    ),
  ],
  // Commands that only follow tasks make no plans, and share small parts of these.
  ['planning', loadedWith('planning/resolve/resolve-plan'), withTasks],
  ['lint', loadedWith('doors/cli/commands/lint'), withTasks],
].map(([name, modules, besides = first], index, all) => ({
  name,
  priority: all.length - index,
  includeDependenciesRecursively: false,
  test: (id) => modules.has(id) && !first.has(id) && !besides.has(id),
}));

/**
 * The messages of Temporal as text for `JSON.parse`, which reads them faster than they are read as code; without those of
 * Temporal Cloud's own API, a quarter of them, which no command calls.
 */
const messagesOfTemporal = {
  name: 'messages-of-temporal',
  transform(code, id) {
    if (!id.endsWith('@temporalio/proto/protos/json-module.js')) return null;
    const [all, literal] = /\.addJSON\((\{.*\n\})\);\n/s.exec(code) ?? [];
    const messages = literal && JSON.parse(literal);
    if (!messages?.temporal?.nested.api.nested.cloud) throw new Error('The messages of Temporal are not as expected');
    delete messages.temporal.nested.api.nested.cloud;
    const text = JSON.stringify(JSON.stringify(messages));
    return { code: code.replace(all, () => `.addJSON(JSON.parse(${text}));\n`), map: { mappings: '' } };
  },
};

/**
 * Wraps modules of CommonJS in functions instead of arrow functions: V8 of Node 20 compiles a function in parentheses at once, but
 * an arrow function twice, first to skip it.
 */
const wrappedInFunctions = {
  name: 'wrapped-in-functions',
  renderChunk(code, _chunk, _options, { magicString }) {
    const wrappers = [...code.matchAll(WRAPPER)];
    if (wrappers.length === 0 && /__commonJS\w*\(\(/.test(code)) throw new Error('Modules of CommonJS are wrapped otherwise');
    for (const found of wrappers) {
      const from = found.index + found[1].length;
      magicString.overwrite(from, found.index + found[0].length, `(function (${found[2]}) {`);
    }
    return magicString;
  },
};
const WRAPPER = /(\/\* @__PURE__ \*\/ __commonJSMin\()\(\(([\w$, ]*)\) => \{/g;

/**
 * Writes one bundle.
 *
 * @param options what is bundled, and what is left out.
 * @param folder in `dist`.
 * @param minify whether names are shortened: a command starts sooner, and its stacks are mapped back where they are shown.
 */
async function write(options, folder, minify) {
  const bundle = await rolldown({
    ...options,
    platform: 'node',
    plugins: [...options.plugins, wrappedInFunctions],
    experimental: { nativeMagicString: true },
    preserveEntrySignatures: 'allow-extension',
    // What is loaded on demand by one command may be needed at once by another.
    checks: { ineffectiveDynamicImport: false },
  });
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
      messagesOfTemporal,
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
