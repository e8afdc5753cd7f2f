import { type FollowedDocuments, followDocuments } from '../../../../authoring/scaffold/follow-documents.js';
import { type Scaffold, type Site, siteFolders } from '../../../../authoring/scaffold/scaffold.js';
import { AbilityError, type Problem } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { findProjectRoot } from '../../../../definitions/find-project.js';
import { RegistryLoader } from '../../../../definitions/load-registry.js';
import type { Registry } from '../../../../definitions/registry.js';
import { handlerOf } from '../../../../planning/hooks/resolve-handler.js';
import { satisfies } from '../../../../planning/input/schemas.js';
import { resolveEnvironment } from '../../../../planning/resolve/resolve-environment.js';
import { resolvePlan } from '../../../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../../../planning/secrets/secret-source.js';
import type { Context } from '../../program/context.js';
import { printWritten, type Settled, writePlan } from '../writing/write-plan.js';

export interface ScaffoldRequest<Planned extends Scaffold = Scaffold> {
  plan(site: Site): Planned;
  scopes(registry: Registry): (readonly string[] | undefined)[];
  /** Further documents; left out: routing documents that were in step. @throws AbilityError, which undoes all. */
  follow?(before: Registry, after: Registry): FollowedDocuments;
  /** Undoes everything after a successful check. */
  isDryRun?: boolean;
  /** @returns what checks the project with the scaffold in it, gives notes, and throws an AbilityError to undo it. */
  begin?(loader: RegistryLoader): (planned: Planned) => string[];
}

/** Keeps a scaffold only if it loads and resolves. @throws AbilityError of the plan, writing or checking. */
export async function finishScaffold<Planned extends Scaffold>(
  context: Context,
  request: ScaffoldRequest<Planned>,
): Promise<ExitCode> {
  const root = findProjectRoot(context.cwd, context.flags.project);
  // One loader for both loads: the second one reads only changed files.
  const loader = new RegistryLoader(root);
  let planned: Scaffold | undefined;
  const { isDryRun = false, follow = followDocuments } = request;
  const written = await writePlan(root, context.terminal, () => {
    // Read under the lock: another command may just have added something.
    const before = loader.load();
    const environment = chooseAmong(before, context.flags.env ?? context.env.ABILITY_ENV, request.scopes(before));
    const scaffold = request.plan({ registry: before, folders: siteFolders(root), environment, fits: satisfies });
    planned = scaffold;
    const { files } = scaffold;
    const check = request.begin?.(loader);
    const settled = (): Settled => {
      const more = check?.(scaffold) ?? [];
      const kept = placed(scaffold, () => {
        const after = loader.load();
        return settle({ before, after, follow }, scaffold, environment, context.env);
      });
      return { ...kept, notes: [...kept.notes, ...more] };
    };
    return { files, isKept: !isDryRun, settle: settled };
  });
  const { created, changed } = written;
  const notes = [...(planned?.notes ?? []), ...written.notes];
  printWritten(context, { created, changed, left: [], notes, next: isDryRun ? [] : (planned?.next ?? []), isDryRun });
  return EXIT.ok;
}

/** The requested environment, else the project's default, else the first in which all parts are available. */
function chooseAmong(
  registry: Registry,
  wanted: string | undefined,
  scopes: readonly (readonly string[] | undefined)[],
): string {
  const { environments, default_environment: preferred } = registry.project;
  if (wanted) return resolveEnvironment(registry, wanted).name;
  const names = Object.keys(environments);
  const ordered = preferred === undefined ? names : [preferred, ...names];
  const fitting = ordered.find((name) => scopes.every((scope) => scope === undefined || scope.includes(name)));
  return fitting ?? ordered[0] ?? '';
}

/** Warnings of the plans, and documents to update. @throws AbilityError for a new problem. */
function settle(
  { before, after, follow }: Required<Pick<ScaffoldRequest, 'follow'>> & { before: Registry; after: Registry },
  { abilities, hook }: Scaffold,
  environment: string,
  env: NodeJS.ProcessEnv,
): Settled {
  const variables = new EnvironmentVariables(after.root, environment, env);
  const known = new Set(before.problems.map(signOf));
  const fresh = after.problems.find((problem) => !known.has(signOf(problem)));
  if (fresh) throw takenBack(new AbilityError(fresh));
  if (hook) {
    const made = after.hooks.get(hook.phase)?.find(({ value }) => value.id === hook.id);
    if (made) tryOut(() => handlerOf(made, hook.phase, after, variables));
  }
  const warnings = abilities.flatMap((id) => tryOut(() => resolvePlan(after, id, environment, variables).warnings));
  const { files, notes } = follow(before, after);
  return { files, notes: [...warnings, ...notes] };
}

function signOf({ code, message, location }: Problem): string {
  return `${code} ${location?.file} ${message}`;
}

/** What is set or installed only where the worker runs is a warning, and undoes nothing. */
function tryOut<T>(resolve: () => T): T | string[] {
  try {
    return resolve();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    if (/^config\.(missing_credential|missing_program|no_model)$/.test(error.code))
      return [`${error.message}. ${error.suggestion ?? ''}`];
    throw takenBack(error);
  }
}

/** @throws AbilityError of the action, located in the given definition. */
function placed<T>({ given }: Scaffold, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (!(error instanceof AbilityError) || !given) throw error;
    const problem = error.toProblem();
    const { location } = problem;
    throw new AbilityError({ ...problem, ...(location && { location: given(location) }) }, { cause: error });
  }
}

function takenBack(error: AbilityError): AbilityError {
  const problem = error.toProblem();
  return new AbilityError({ ...problem, message: `${problem.message}; nothing was written` }, { cause: error });
}
