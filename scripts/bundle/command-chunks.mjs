// Which modules of the command line share a chunk. A file costs a command more than its code does, so modules that are loaded
// together are one chunk; but a command that must start fast loads no large chunk for a small part of it.
import { fileOf, loadedWith, onDemandIn } from './own-imports.mjs';

const GUARD = ['doors/guard/run-guard', 'doors/guard/judge-call', 'doors/guard/ask-guards'];
/** Loaded by the guard only after a change of a definition, or for a guard that is a script. */
const READS_DEFINITIONS = /(build-index|hooks-outside-tasks)$/;

/**
 * Not part of any group: the first steps of each command, the guard of an agent, which runs before each of its tool calls, and
 * what reads no definitions.
 */
const light = loadedWith(
  'doors/cli/bin',
  'doors/runtime/forward-command',
  ...GUARD,
  ...onDemandIn(...GUARD).filter((module) => !READS_DEFINITIONS.test(module)),
  'doors/cli/commands/down',
  'doors/cli/commands/explain',
  'doors/cli/output/report',
);

/** Following a task needs small parts of what makes plans. */
const tasks = loadedWith('doors/cli/commands/run', 'doors/cli/commands/task/list');

const definitions = loadedWith(
  'definitions/load-registry',
  'doors/cli/commands/list',
  'doors/answers/list-abilities',
  'planning/resolve/resolve-environment',
);

/** By name: modules, and those among them that are left out. A module is in the first group that has it. */
const GROUPS = {
  // The first steps of each command, and the small modules that all need.
  first: [
    new Set([
      ...loadedWith('doors/cli/bin'),
      ...[...loadedWith('doors/runtime/forward-command')].filter((file) => definitions.has(file)),
      ...loadedWith('doors/cli/output/describe-problem', 'doors/cli/output/typed-command'),
    ]),
    new Set([fileOf('doors/cli/bin')]),
  ],
  // Each command that the runtime does not execute.
  program: [loadedWith('doors/cli/main'), light],
  // What reads and lists definitions.
  definitions: [definitions, light],
  planning: [loadedWith('planning/resolve/resolve-plan'), light, tasks],
  lint: [loadedWith('doors/cli/commands/lint'), light, tasks],
};

/** For the option `codeSplitting` of rolldown. */
export const groups = Object.entries(GROUPS).map(([name, [loaded, ...besides]], index, all) => {
  const modules = new Set([...loaded].filter((file) => !besides.some((others) => others.has(file))));
  return { name, priority: all.length - index, includeDependenciesRecursively: false, test: (id) => modules.has(id) };
});

/**
 * Checks what rolldown made of them. @param output the chunks.
 * @throws Error if a group is missing, or if chunks import each other in a circle, so that one may run before what it needs.
 */
export function checkChunks(output) {
  for (const { name } of groups) {
    if (!output.some((chunk) => chunk.name === name)) throw new Error(`There is no chunk ${name}`);
  }
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk.imports]));
  const done = new Set();
  const visit = (name, path) => {
    if (path.includes(name)) throw new Error(`Chunks import each other: ${[...path, name].join(' -> ')}`);
    if (done.has(name)) return;
    for (const next of chunks.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of chunks.keys()) visit(name, []);
}
