import { userInfo } from 'node:os';
import type { Connection } from '../../../client/index.js';
import type { Person } from '../../../contracts/callers.js';
import type { RegistryLoader } from '../../../definitions/load-registry.js';
import type { Registry } from '../../../definitions/registry.js';
import { ownDefinitions } from '../../../planning/resolve/own-definitions.js';
import type { EnvironmentVariables } from '../../../planning/secrets/secret-source.js';
import { nameOf } from '../../../rules/tasks/other-project.js';
import { attempt } from '../../../text/attempt.js';
import type { Terminal } from '../output/terminal/terminal.js';
import type { GlobalFlags } from './global-flags.js';
import { withNearTask } from './near-task.js';

export interface Context {
  flags: GlobalFlags;
  terminal: Terminal;
  cwd: string;
  /** Defaults of flags, and the environment of child processes. */
  env: NodeJS.ProcessEnv;
  /** When the command began, on the clock of `performance.now()`. */
  began: number;
  /** Set if the project's runtime executes the command; left out: the command is its own process. */
  within?: Within;
  /** The key for a task created without one; the runtime may already have created the task under it. */
  made?: string | undefined;
}

export interface Within {
  loader: RegistryLoader;
  /** Runs an action on the runtime's only connection. */
  use<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
}

/** With `--json` the value, else the text. */
export function printAnswer({ flags, terminal }: Context, value: unknown, text: () => string): void {
  if (flags.json) terminal.printJson(value);
  else terminal.print(text());
}

/** The requester: `ABILITY_USER`, else the OS user. A claim. Source: docs/approvals.md#who-may-decide. */
export function currentUser(env: NodeJS.ProcessEnv): Person {
  return { name: env.ABILITY_USER || osUser(), source: 'claimed' };
}

function osUser(): string {
  return attempt(() => userInfo().username, String(process.getuid?.() ?? 'unknown'));
}

/** Loads the project's definitions. @throws AbilityError `project.*`, `definition.*`. */
export async function openRegistry(context: Context): Promise<Registry> {
  return (await openLoader(context)).load();
}

/** Like {@link openRegistry}, for commands that load repeatedly. @throws AbilityError `project.*`. */
export async function openLoader({ flags, cwd, env, within }: Context): Promise<RegistryLoader> {
  const { packsNamedIn, RegistryLoader } = await import('../../../definitions/load-registry.js');
  const { findProjectRoot } = await import('../../../definitions/find-project.js');
  const root = findProjectRoot(cwd, flags.project);
  const isSame = within?.loader.root === root && within.loader.packs === packsNamedIn(env, root);
  if (isSame) return within.loader;
  if (!within) (await import('../../../definitions/check-format.js')).interpretFormats();
  return new RegistryLoader(root, env);
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

function noteForeignTasks({ terminal }: Context, own: string): (key: string, project: string) => void {
  const said = new Set<string>();
  return (key, project) => {
    if (said.has(key)) return;
    said.add(key);
    terminal.note(`${key} belongs to ${nameOf(project)}, not to ${own}, the project of this folder.`);
  };
}

/** Starts the project's runtime if there is none. @param signal ends the connecting, with its reason. */
export async function withSession<T>(
  context: Context,
  registry: Registry,
  action: (connection: Connection) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> {
  const { terminal, within } = context;
  const progress = (text: string): void => terminal.note(text);
  const onOther = noteForeignTasks(context, registry.project.project);
  const definitions = ownDefinitions(() => registry);
  const act = (connection: Connection): Promise<T> =>
    action(connection).catch(async (error: unknown) => {
      throw await withNearTask(connection, error);
    });
  if (within?.loader.root === registry.root) {
    return within.use((shared) =>
      act({ ...shared, progress, onOther, definitions, env: context.env, close: async () => {} }),
    );
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
    definitions,
    ...(signal && { signal }),
  });
  if (connection.started) terminal.note(`Started the runtime of this project; Temporal UI: ${connection.ui}`);
  try {
    return await act(connection);
  } finally {
    await connection.close();
  }
}
