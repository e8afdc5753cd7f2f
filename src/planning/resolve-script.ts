import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { extname, join, relative, resolve } from 'node:path';
import type { PlanEnvProfile, PlanScript } from '../contracts/plan.js';
import { AbilityError, type Problem, type SourceLocation } from '../contracts/problem.js';
import type { ScriptDefinition } from '../definitions/formats/implementation.js';
import { isInside } from '../definitions/read-files.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { didYouMean } from '../rules/nearest.js';
import { readScript, type ScriptFile, type Unusable } from './script-files.js';
import { checkPlaceholders, splitArguments } from './split-arguments.js';

/** Used where no `env_profile` is named and no profile is called `default`. Source: answers, 25. */
const DEFAULT_PROFILE: PlanEnvProfile = { pass: ['PATH', 'HOME', 'LANG', 'TMPDIR'], set: {}, secrets: {} };

/** Used where neither `args_template` nor `args` is written. Source: R-002-13. */
const DEFAULT_ARGS = '--input {input_file} --output {output_file}';

const INTERPRETERS: Record<string, string[]> = {
  '.mjs': ['node'],
  '.js': ['node'],
  '.cjs': ['node'],
  '.py': ['python3'],
  '.sh': ['sh'],
};

/**
 * Resolves how a script is started, and pins its bytes.
 *
 * @param defaultArgs the template used when the definition has none.
 * @throws AbilityError `script.missing`, `script.not_executable`, `definition.*`.
 */
export function resolveScript(
  registry: Registry,
  definition: ScriptDefinition,
  owner: Loaded<unknown>,
  path: PropertyKey[],
  defaultArgs = DEFAULT_ARGS,
): PlanScript {
  if (definition.args && definition.args_template !== undefined) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: 'A script has either `args_template` or `args`',
      location: owner.locate([...path, 'args'], 'key'),
    });
  }
  const file = locateScript(registry, definition.path, owner, path);
  const args = definition.args ?? splitArguments(definition.args_template ?? defaultArgs, owner.locate(path));
  checkPlaceholders(args, owner.locate(path));
  const env = resolveEnvProfile(registry, definition.env_profile, owner, [...path, 'env_profile']);
  return {
    path: definition.path,
    digest: file.digest,
    interpreter: interpreterOf(definition, file, owner, path),
    args,
    ...(definition.files && { files: resolveFiles(registry, definition.files, owner, [...path, 'files']) }),
    env: { ...env, set: { ...env.set, ...definition.set } },
  };
}

/** More would make every plan heavy; a folder of modules is not meant to be pinned. */
const MOST_FILES = 500;

/** The files that are pinned with a script, folders read to their depth. @throws AbilityError `script.missing`. */
function resolveFiles(registry: Registry, paths: string[], owner: Loaded<unknown>, at: PropertyKey[]) {
  const found = new Map<string, string>();
  for (const [index, path] of paths.entries()) {
    const location = owner.locate([...at, index]);
    for (const file of filesBelow(registry.root, path, location)) {
      const real = insideProject(registry.root, file, location);
      found.set(relative(registry.root, file), createHash('sha256').update(readFileSync(real)).digest('hex'));
      if (found.size <= MOST_FILES) continue;
      const message = `\`files\` names more than ${MOST_FILES} files`;
      throw new AbilityError({ code: 'definition.invalid', message, location });
    }
  }
  return [...found].map(([path, digest]) => ({ path, digest })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function filesBelow(root: string, path: string, location: SourceLocation): string[] {
  const at = resolve(root, path);
  try {
    if (statSync(at).isFile()) return [at];
    const entries = readdirSync(at, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    throw new AbilityError(
      {
        code: 'script.missing',
        message: `There is no file ${path}`,
        location,
        suggestion: 'Correct `files`; the paths are relative to the project root.',
      },
      { cause: error },
    );
  }
}

/** The file behind a path. @throws AbilityError `definition.invalid` where a link leads out of the project. */
function insideProject(root: string, file: string, location: SourceLocation): string {
  const real = realpathSync(file);
  if (isInside(root, file) && isInside(root, real)) return real;
  throw new AbilityError({ code: 'definition.invalid', message: `${file} lies outside the project`, location });
}

/** Resolves an environment profile by name. @throws AbilityError `definition.unknown_reference`. */
export function resolveEnvProfile(
  registry: Registry,
  name: string | undefined,
  owner: Loaded<unknown>,
  path: PropertyKey[],
): PlanEnvProfile {
  const wanted = name ?? 'default';
  const profile = registry.envProfiles.get(wanted);
  if (profile) return profile.value;
  const broken = registry.broken.get(`env_profile:${wanted}`);
  if (broken) throw new AbilityError(broken);
  if (wanted === 'default') return DEFAULT_PROFILE;
  throw new AbilityError({
    code: 'definition.unknown_reference',
    message: `There is no env_profile ${wanted}`,
    location: owner.locate(path),
    suggestion: didYouMean(wanted, registry.envProfiles.keys()) ?? 'Define it under `env_profiles` in registry/config.',
  });
}

/** Finds the script under the project root, symlinks included. Source: design, section 12. */
function locateScript(registry: Registry, path: string, owner: Loaded<unknown>, at: PropertyKey[]): ScriptFile {
  const script = readScript(registry, path);
  if (typeof script !== 'string') return script;
  throw new AbilityError({ ...UNUSABLE[script](path), location: owner.locate([...at, 'path']) });
}

const UNUSABLE: Record<Unusable, (path: string) => Problem> = {
  missing: (path) => ({
    code: 'script.missing',
    message: `There is no script ${path}`,
    suggestion: 'Correct `path`; it is relative to the project root.',
  }),
  outside: (path) => ({
    code: 'definition.invalid',
    message: `The script ${path} lies outside the project`,
    suggestion: 'Move it into the project; links that lead out are not followed.',
  }),
  unreadable: (path) => ({
    code: 'script.missing',
    message: `The script ${path} may not be read`,
    suggestion: 'Let the user that runs workers read it.',
  }),
};

/** `interpreter` wins over run bit and shebang, these over the extension. Source: answers, 29. */
function interpreterOf(
  definition: ScriptDefinition,
  { real, isProgram }: ScriptFile,
  owner: Loaded<unknown>,
  path: PropertyKey[],
): string[] {
  const { interpreter } = definition;
  if (interpreter !== undefined) return typeof interpreter === 'string' ? interpreter.split(/\s+/) : interpreter;
  if (isProgram) return [];
  const known = INTERPRETERS[extname(real)];
  if (known) return known;
  throw new AbilityError({
    code: 'script.not_executable',
    message: `${definition.path} has no run bit with a shebang, and ${extname(real) || 'its name'} names no interpreter`,
    location: owner.locate([...path, 'path']),
    suggestion: 'Make it executable, or write `interpreter`.',
  });
}
