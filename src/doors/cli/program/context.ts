import type { Connection } from '../../../client/index.js';
import type { RuntimeFile } from '../../../contracts/runtime.js';
import type { RegistryLoader } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import type { EnvironmentVariables } from '../../../planning/secrets/secret-source.js';
import { nameOf } from '../../../rules/tasks/task-refusals.js';
import type { Terminal } from '../output/terminal/terminal.js';
import type { CommandDoor } from './door/command-door.js';
import type { GlobalFlags } from './global-flags.js';

export interface Context {
  flags: GlobalFlags;
  terminal: Terminal;
  cwd: string;
  /** Defaults of flags, and the environment of child processes. */
  env: NodeJS.ProcessEnv;
  /** The door that the command works through; undefined: its project is on this machine. */
  door: CommandDoor | undefined;
  /** When the command began, on the clock of `performance.now()`. */
  began: number;
}

/** With `--json` the value, else the text. */
export function printAnswer({ flags, terminal }: Context, value: unknown, text: () => string): void {
  if (flags.json) terminal.printJson(value);
  else terminal.print(text());
}

/** As {@link printAnswer}; notes that there is none, instead of the text of an empty list. */
export function printList(context: Context, list: readonly unknown[], none: string, text: () => string): void {
  if (list.length > 0 || context.flags.json) printAnswer(context, list, text);
  else context.terminal.note(none);
}

/**
 * Loads the project's definitions. @param what of the command needs them, such as a flag; left out: all of it.
 * @throws AbilityError `project.*`, `definition.*`, `door.project_only`.
 */
export async function openRegistry(context: Context, what?: string): Promise<Registry> {
  return (await openLoader(context, what)).load();
}

/** Like {@link openRegistry}, for commands that load repeatedly. @throws AbilityError `project.*`, `door.project_only`. */
export async function openLoader({ flags, cwd, env, door }: Context, what?: string): Promise<RegistryLoader> {
  if (door) throw (await import('./door/command-door.js')).projectOnly(door, what);
  const { RegistryLoader } = await import('../../../definitions/load-registry.js');
  const { findProjectRoot } = await import('../../../definitions/find-project.js');
  const root = findProjectRoot(cwd, flags.project);
  (await import('../../../definitions/check-format.js')).interpretFormats();
  return new RegistryLoader(root, env);
}

/** By flag or `ABILITY_ENV`; undefined: the project chooses. */
export function environmentGiven({ flags, env }: Context): string | undefined {
  return flags.env ?? (env.ABILITY_ENV || undefined);
}

/**
 * By flag, `ABILITY_ENV` or the project's own choice. Source: docs/guide.md#configuration.
 * @throws AbilityError `config.no_environment`, `environment.not_found`.
 */
export async function environmentOf({ flags, env }: Context, registry: Registry): Promise<string> {
  const { chooseEnvironment, resolveEnvironment } = await import('../../../planning/resolve/resolve-environment.js');
  const name = chooseEnvironment(registry.project, flags.env ?? env.ABILITY_ENV);
  return resolveEnvironment(registry, name).name;
}

/** Values of `env:NAME`; the command's own environment comes first. */
export async function variablesOf(
  { env }: Context,
  { root }: Registry,
  environment: string,
): Promise<EnvironmentVariables> {
  const { EnvironmentVariables } = await import('../../../planning/secrets/secret-source.js');
  return new EnvironmentVariables(root, environment, env);
}

/** An ability, and where and with what it would run. Reads files only. @throws AbilityError `ability.not_found`. */
export async function openAbility(context: Context, id: string) {
  const registry = await openRegistry(context);
  const { findAbility } = await import('../../../definitions/find-ability.js');
  const definition = await findAbility(registry, id);
  const environment = await environmentOf(context, registry);
  return { registry, definition, environment, variables: await variablesOf(context, registry, environment) };
}

/** Notes once that a task is one of another project. */
export function noteForeignTasks({ terminal }: Context, own: string): (key: string, project: string) => void {
  const said = new Set<string>();
  return (key, project) => {
    if (said.has(key)) return;
    said.add(key);
    terminal.note(`${key} belongs to ${nameOf(project)}, not to ${own}, the project of this folder.`);
  };
}

/** Which server a command connects to, for `connect`. */
export function connectionTo({ flags, env, terminal }: Context, { root, project }: Registry) {
  const { address, namespace, profile } = flags;
  return { root, project: project.project, address, namespace, profile, env, progress: terminal.note };
}

/**
 * Starts the project's runtime if there is none.
 * @param signal ends the connecting, with its reason.
 * @param lost the runtime that had answered this command before.
 */
export async function withSession<T>(
  context: Context,
  registry: Registry,
  action: (connection: Connection) => Promise<T>,
  signal?: AbortSignal,
  lost?: RuntimeFile,
): Promise<T> {
  const { terminal } = context;
  const onOther = noteForeignTasks(context, registry.project.project);
  const { ownDefinitions } = await import('../../../planning/resolve/own-definitions.js');
  const definitions = ownDefinitions(() => registry);
  const { connect, restartNote } = await import('../../../client/index.js');
  const more = { onOther, definitions, ...(signal && { signal }) };
  const connection = await connect({ ...connectionTo(context, registry), ...more });
  if (lost) {
    if (connection.runtime?.pid !== lost.pid) terminal.note(restartNote(connection));
  } else if (connection.started) terminal.note(`Started the runtime of this project; Temporal UI: ${connection.ui}`);
  try {
    return await action(connection);
  } finally {
    await connection.close();
  }
}
