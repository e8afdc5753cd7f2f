// Which modules of the command line share a chunk. A file costs a command more than its code does, so modules that are loaded
// together are one chunk; but a command that must start fast loads no large chunk for a small part of it.
import { fileOf, loadedWith, onDemandIn } from './own-imports.mjs';

const GUARD = ['doors/guard/run-guard', 'doors/guard/judge-call', 'doors/guard/ask-guards'];
/** Loaded by the guard only after a change of a definition, or for a guard that is a script. */
const RARE = new Set(['doors/guard/build-index', 'worker/hooks-outside-tasks']);
const guardLoads = onDemandIn(...GUARD);
for (const module of RARE) if (!guardLoads.includes(module)) throw new Error(`The guard does not load ${module}`);

/**
 * Not part of the groups after `first`: the first steps of each command, the guard of an agent, which runs before each of its
 * tool calls, and what reads no definitions.
 */
const light = loadedWith(
  'doors/cli/bin',
  ...GUARD,
  ...guardLoads.filter((module) => !RARE.has(module)),
  'doors/cli/commands/down',
  'doors/cli/commands/explain',
  'doors/cli/output/report',
);

/** Tasks need small parts of what reads definitions and makes plans. */
const tasks = loadedWith(
  ...['run', 'why', 'task/list', 'task/show', 'task/run'].map((name) => `doors/cli/commands/${name}`),
);
/** So do guards that are scripts, the HTTP door, and completion at each TAB, of what checks definitions. */
const doors = loadedWith(
  'worker/hooks-outside-tasks',
  'doors/http/open-http-door',
  'doors/cli/commands/completion/completion',
);
const program = loadedWith('doors/cli/main');

const definitions = loadedWith(
  'definitions/load-registry',
  'doors/cli/commands/list',
  'operations/list-abilities',
  'planning/resolve/resolve-environment',
);

/** By name: modules, and those among them that are left out. A module is in the first group that has it. */
const GROUPS = {
  // The first steps of each command, and the small modules that all need.
  first: [
    new Set([
      ...loadedWith('doors/cli/bin'),
      ...[...program].filter((file) => definitions.has(file)),
      ...loadedWith('doors/cli/output/describe-problem', 'shown/typed-command'),
    ]),
    new Set([fileOf('doors/cli/bin')]),
  ],
  // What each command begins with.
  program: [program, light],
  // What calls the runtime, and shows tasks.
  tasks: [tasks, light],
  // What reads and lists definitions.
  definitions: [definitions, light],
  planning: [loadedWith('planning/resolve/resolve-plan'), light, tasks],
  lint: [loadedWith('doors/cli/commands/lint'), light, tasks, doors],
};

/** For the option `codeSplitting` of rolldown. */
export const groups = Object.entries(GROUPS).map(([name, [loaded, ...besides]], index, all) => {
  const modules = new Set([...loaded].filter((file) => !besides.some((others) => others.has(file))));
  return { name, priority: all.length - index, includeDependenciesRecursively: false, test: (id) => modules.has(id) };
});

/** @param output of rolldown. @throws Error if a group is not there. */
export function checkGroups(output) {
  for (const { name } of groups) {
    const isThere = output.some((chunk) => chunk.name === name && chunk.moduleIds?.length > 1);
    if (!isThere) throw new Error(`There is no chunk of the group ${name}`);
  }
}

/**
 * Instead of rolldown's `strictExecutionOrder`, which would wrap each module: without circles among chunks, each runs after
 * those that it imports.
 * @param output of rolldown. @throws Error if chunks import each other in a circle.
 */
export function refuseCircles(output) {
  const imports = new Map(output.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk.imports]] : [])));
  const done = new Set();
  const visit = (name, path) => {
    if (path.includes(name)) throw new Error(`Chunks import each other: ${[...path, name].join(' -> ')}`);
    if (done.has(name)) return;
    for (const next of imports.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of imports.keys()) visit(name, []);
}
