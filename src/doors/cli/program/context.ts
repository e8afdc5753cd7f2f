import { userInfo } from 'node:os';
import type { Connection } from '../../../client/index.js';
import type { Person } from '../../../contracts/people.js';
import type { RegistryLoader } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import type { EnvironmentVariables } from '../../../planning/secrets/secret-source.js';
import { nameOf } from '../../../rules/tasks/other-project.js';
import type { Terminal } from '../output/terminal/terminal.js';
import type { GlobalFlags } from './global-flags.js';

/** What a command is given besides its own arguments. */
export interface Context {
  flags: GlobalFlags;
  terminal: Terminal;
  cwd: string;
  /** Where flags have their defaults, and what child processes start with. */
  env: NodeJS.ProcessEnv;
  /** When the command began, on the clock of `performance.now()`. */
  began: number;
  /** What the project's own runtime does the command with, where it does; left out: the command is a process of its own. */
  within?: Within;
  /** The key of the task that the command creates without one: the runtime was asked for it, and whether it did so is not known. */
  made?: string | undefined;
}

/** What the runtime of a project has for each command that it does. */
export interface Within {
  loader: RegistryLoader;
  /** Does something with its one connection. */
  use<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
}

/** Prints the answer of a command: with `--json` the value, else a text for people. */
export function printAnswer({ flags, terminal }: Context, value: unknown, text: () => string): void {
  if (flags.json) terminal.printJson(value);
  else terminal.print(text());
}

/** Who asks: `ABILITY_USER`, else the user of the operating system. A claim. Source: docs/approvals.md#who-may-decide. */
export function currentUser(env: NodeJS.ProcessEnv): Person {
  return { name: env.ABILITY_USER || osUser(), source: 'claimed' };
}

function osUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'unknown');
  }
}

/** The definitions of the project a command is about. @throws AbilityError `project.*`, `definition.*`. */
export async function openRegistry(context: Context): Promise<Registry> {
  return (await openLoader(context)).load();
}

/** As {@link openRegistry}, for whoever reads them more than once. @throws AbilityError `project.*`. */
export async function openLoader({ flags, cwd, env, within }: Context): Promise<RegistryLoader> {
  const { packsNamedIn, RegistryLoader } = await import('../../../definitions/load-registry.js');
  const { findProjectRoot } = await import('../../../definitions/find-project.js');
  const root = findProjectRoot(cwd, flags.project);
  const isSame = within?.loader.root === root && within.loader.packs === packsNamedIn(env, root);
  return isSame ? within.loader : new RegistryLoader(root, env);
}

/**
 * The environment of a command: flag, `ABILITY_ENV`, the project's own choice. Source: docs/guide.md#configuration.
 *
 * @throws AbilityError `config.no_environment`, `environment.not_found`.
 */
export async function environmentOf({ flags, env }: Context, registry: Registry): Promise<string> {
  const { chooseEnvironment, resolveEnvironment } = await import('../../../planning/resolve/resolve-environment.js');
  const name = chooseEnvironment(registry.project, flags.env ?? env.ABILITY_ENV);
  return resolveEnvironment(registry, name).name;
}

/** What `env:NAME` stands for to a command, with its own environment first. */
export async function variablesOf(
  { env }: Context,
  { root }: Registry,
  environment: string,
): Promise<EnvironmentVariables> {
  const { EnvironmentVariables } = await import('../../../planning/secrets/secret-source.js');
  return new EnvironmentVariables(root, environment, env);
}

/** Says once of each task of another project whose it is. */
function noteForeignTasks({ terminal }: Context, own: string): (key: string, project: string) => void {
  const said = new Set<string>();
  return (key, project) => {
    if (said.has(key)) return;
    said.add(key);
    terminal.note(`${key} belongs to ${nameOf(project)}, not to ${own}, the project of this folder.`);
  };
}

/**
 * Runs an action with a connection to the project's Temporal, starting its runtime when there is none.
 *
 * @param signal ends the connecting, with its reason.
 */
export async function withSession<T>(
  context: Context,
  registry: Pick<Registry, 'root' | 'project'>,
  action: (connection: Connection) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { terminal, within } = context;
  const progress = (text: string): void => terminal.note(text);
  const onOther = noteForeignTasks(context, registry.project.project);
  if (within?.loader.root === registry.root) {
    return within.use((shared) => action({ ...shared, progress, onOther, env: context.env, close: async () => {} }));
  }
  const { connect } = await import('../../../client/index.js');
  const { address, namespace, profile } = context.flags;
  const connection = await connect({
    root: registry.root,
    project: registry.project.project,
    address,
    namespace,
    profile,
    env: context.env,
    progress,
    onOther,
    ...(signal && { signal }),
  });
  if (connection.started) terminal.note(`Started the runtime of this project; Temporal UI: ${connection.ui}`);
  try {
    return await action(connection);
  } finally {
    await connection.close();
  }
}
