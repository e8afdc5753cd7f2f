import { readdirSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { PlanArgument, PlanEnvProfile, PlanScript } from '../../contracts/plan.js';
import { AbilityError, invalidDefinition, type Problem, type SourceLocation } from '../../contracts/problem.js';
import { SECRET_MESSAGE, secretReference } from '../../definitions/formats/values.js';
import type { Registry } from '../../definitions/registry.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import type { ScriptDefinition } from '../../kinds/script/format.js';
import { didYouMean } from '../../text/nearest.js';
import { hasUsualArguments } from '../resolve/resolve-output.js';
import type { EnvironmentVariables } from '../secrets/secret-source.js';
import { isReference } from '../secrets/written-references.js';
import { checkTemplate, notThere } from '../steps/check-names.js';
import { refuseOurCode } from '../steps/named-codes.js';
import { followImports, MAX_FILES } from './imports/follow-imports.js';
import { languageOf, languageOfName } from './imports/import-site.js';
import { refuseMissing, wordsToRun } from './interpreter.js';
import {
  type ArgumentNames,
  CALL_ARGUMENTS,
  checkOwnPlaceholders,
  checkPlaceholders,
  INTERPRETER_WORDS,
  ownNamesIn,
  plainTexts,
} from './placeholders.js';
import { IN_SCRIPTS, resolveArguments, splitArguments } from './resolve-arguments.js';
import { resolveConfinement } from './resolve-confinement.js';
import { MAX_BYTES, type ProjectFiles, projectFilesOf, type ScriptFile, type Unusable } from './script-files.js';

/** Without an `env_profile` and a profile called `default`. */
const DEFAULT_PROFILE: PlanEnvProfile = { pass: ['PATH', 'HOME', 'LANG', 'TMPDIR'], set: {}, secrets: {} };

/** Arguments of a script whose definition states neither arguments, stdin nor output. Source: R-002-13. */
const DEFAULT_ARGS = '--input {input_file} --output {output_file}';

/**
 * Pins a script's bytes. @param names that its arguments may hold. A hook without `args` has no arguments.
 * @throws AbilityError `script.missing`, `script.not_executable`, `config.missing_program`, `definition.*`.
 */
export function resolveScript(
  registry: Registry,
  definition: ScriptDefinition,
  spot: Spot,
  machine: EnvironmentVariables,
  names = CALL_ARGUMENTS,
): PlanScript {
  if (definition.args && definition.args_template !== undefined) {
    throw invalidDefinition('A script has either `args_template` or `args`', locationOf(within(spot, 'args'), 'key'));
  }
  const file = locateScript(registry, definition.path, within(spot, 'path'));
  const args = argumentsOf(definition, names, spot);
  const profile = resolveEnvProfile(registry, definition.env_profile, within(spot, 'env_profile'));
  const { stdin } = definition;
  if (stdin !== undefined) checkedText(stdin, within(spot, 'stdin'), names);
  checkExitCodes(definition, spot);
  const variables = resolveVariables(definition, profile, spot, names, registry);
  const interpreter = interpreterFiles(projectFilesOf(registry), interpreterOf(definition, file, spot));
  const location = locationOf(within(spot, definition.interpreter === undefined ? 'path' : 'interpreter'));
  refuseMissing(interpreter.words, variables, { root: registry.root, path: definition.path, location }, machine);
  const files = resolveFiles(registry, file, definition, spot, interpreter.files);
  return {
    path: definition.path,
    digest: file.digest,
    ...(file.real !== file.path && { real: file.real }),
    interpreter: interpreter.words,
    args,
    ...(stdin !== undefined && { stdin }),
    ...((definition.files || files.length > 0) && { files }),
    ...(definition.big_integers && { big_integers: definition.big_integers }),
    ...variables,
    ...(definition.exit_codes && { exit_codes: definition.exit_codes }),
    ...resolveConfinement(registry, definition, spot, machine),
  };
}

function argumentsOf(definition: ScriptDefinition, names: ArgumentNames, spot: Spot): PlanArgument[] {
  const { args, args_template } = definition;
  if (args) return resolveArguments(args, within(spot, 'args'), names);
  const location = locationOf(args_template === undefined ? spot : within(spot, 'args_template'));
  const usual = names.owner !== 'hook' && hasUsualArguments(definition) ? DEFAULT_ARGS : '';
  const items = splitArguments(args_template ?? usual, location);
  checkPlaceholders(items, names, location);
  return items;
}

/** @throws AbilityError `definition.invalid` for a code in a reserved family. */
function checkExitCodes({ exit_codes = {} }: ScriptDefinition, spot: Spot): void {
  for (const [exit, meaning] of Object.entries(exit_codes)) {
    if (meaning !== 'ok') refuseOurCode(meaning.code, locationOf(within(spot, 'exit_codes', exit, 'code')));
  }
}

/** The files pinned with a script: `files`, its interpreter's, and all that these and the script import. */
function resolveFiles(
  registry: Registry,
  script: ScriptFile,
  definition: ScriptDefinition,
  spot: Spot,
  interpreter: readonly ScriptFile[],
) {
  const files = projectFilesOf(registry);
  const also = [...declaredFiles(files, definition.files ?? [], within(spot, 'files')), ...interpreter];
  const followed = followImports(files, script, languageOf(script, interpreterWords(definition)), also);
  if (followed) return followed.files;
  throw invalidDefinition(
    `${definition.path} is pinned with more than ${MAX_FILES} files, including those that it imports`,
    locationOf(within(spot, definition.files ? 'files' : 'path')),
    'Bundle the script into one file, or name fewer under `files`.',
  );
}

/** The files under `files`; folders recursively. @throws AbilityError `script.missing`, `definition.*`. */
export function declaredFiles(files: ProjectFiles, paths: string[], spot: Spot): ScriptFile[] {
  const found = new Map<string, ScriptFile>();
  for (const [index, path] of paths.entries()) {
    const location = locationOf(within(spot, index));
    for (const name of filesBelow(files.root, path, location)) {
      const file = files.read(name);
      if (typeof file === 'string') throw new AbilityError({ ...UNUSABLE[file](name), location });
      found.set(file.path, file);
      if (found.size <= MAX_FILES) continue;
      const message = `\`files\` names more than ${MAX_FILES} files`;
      throw invalidDefinition(message, location);
    }
  }
  return [...found.values()];
}

/** Paths relative to the project root. */
function filesBelow(root: string, path: string, location: SourceLocation): string[] {
  const at = resolve(root, path);
  try {
    if (statSync(at).isFile()) return [relative(root, at)];
    const entries = readdirSync(at, { recursive: true, withFileTypes: true });
    const inner = entries.filter((entry) => entry.isFile() || entry.isSymbolicLink());
    return inner
      .map((entry) => join(entry.parentPath, entry.name))
      .filter(isFile)
      .map((file) => relative(root, file));
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

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

/** @throws AbilityError `definition.unknown_reference`. */
export function resolveEnvProfile(registry: Registry, wanted = 'default', spot: Spot): PlanEnvProfile {
  const profile = registry.envProfiles.get(wanted);
  if (profile) return { ...profile.value, set: plainTexts(profile.value.set, { from: profile, path: ['set'] }) };
  const key = `env_profile:${wanted}`;
  if (wanted === 'default' && !registry.broken.has(key)) return DEFAULT_PROFILE;
  throw notThere(registry, key, {
    message: `There is no env_profile ${wanted}`,
    location: locationOf(spot),
    suggestion: didYouMean(wanted, registry.envProfiles.keys()) ?? 'Define it under `env_profiles` in registry/config.',
  });
}

/** Refuses a script outside the project root, with symlinks resolved. */
function locateScript(registry: Registry, path: string, spot: Spot): ScriptFile {
  const script = projectFilesOf(registry).read(path);
  if (typeof script !== 'string') return script;
  throw new AbilityError({ ...UNUSABLE[script](path), location: locationOf(spot) });
}

const UNUSABLE: Record<Unusable, (path: string) => Problem> = {
  missing: (path) => ({
    code: 'script.missing',
    message: `There is no script ${path}`,
    suggestion: 'Correct `path`; it is relative to the project root.',
  }),
  outside: (path) => ({
    code: 'definition.invalid',
    message: `${path} lies outside the project`,
    suggestion: 'Move it into the project; links that lead out are not followed.',
  }),
  unreadable: (path) => ({
    code: 'script.missing',
    message: `The file ${path} may not be read`,
    suggestion: 'Let the user that runs workers read it.',
  }),
  too_large: (path) => ({
    code: 'definition.invalid',
    message: `${path} is larger than ${MAX_BYTES / 1024 / 1024} MiB, and files of that size are not pinned`,
    suggestion: 'Install it on the machines of the workers, and call it from a script.',
  }),
};

function interpreterOf(definition: ScriptDefinition, file: ScriptFile, spot: Spot): string[] {
  if (definition.interpreter === undefined) {
    return wordsToRun(file, definition.path, locationOf(within(spot, 'path')));
  }
  const words = interpreterWords(definition);
  checkPlaceholders(words, INTERPRETER_WORDS, locationOf(within(spot, 'interpreter')));
  return words;
}

export function interpreterWords({ interpreter = [] }: ScriptDefinition): string[] {
  return typeof interpreter === 'string' ? interpreter.split(/\s+/) : interpreter;
}

interface InterpreterFiles {
  /** Files of the project are prefixed with `{pinned}`, so that the pinned copy runs. */
  words: string[];
  files: ScriptFile[];
}

/**
 * Finds project code in `./tools/run`, `node --import ./register.mjs`, `bash --rcfile=ops/rc.sh`: a first word
 * with a slash, and others with the extension of a script.
 */
export function interpreterFiles(project: ProjectFiles, words: readonly string[]): InterpreterFiles {
  const files: ScriptFile[] = [];
  const pinned = words.map((word, index) => {
    const [, option = '', path = ''] = /^(-[^=]*=)?(.*)$/s.exec(word) ?? [];
    const isCode = index === 0 ? path.includes('/') : languageOfName(path) !== undefined;
    const file = isCode ? project.read(path) : undefined;
    if (file === undefined || typeof file === 'string') return word;
    files.push(file);
    return `${option}{pinned}/${file.path}`;
  });
  return { words: pinned, files };
}

/**
 * A script's environment: its own variables over those of its profile. A text of `env` may be a reference to a
 * secret; with `${{ }}` or a placeholder it is evaluated for each call; otherwise it is passed on.
 * @throws AbilityError `expression.*`, `definition.invalid`, with the place.
 */
function resolveVariables(
  { env = {} }: Pick<ScriptDefinition, 'env'>,
  profile: PlanEnvProfile,
  spot: Spot,
  names: ArgumentNames,
  registry: Pick<Registry, 'project'>,
): Pick<PlanScript, 'env' | 'variables'> {
  const texts: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const variables: Record<string, string> = {};
  for (const [name, text] of Object.entries(env)) {
    const at = within(spot, 'env', name);
    if (isReference(text, registry)) secrets[name] = checkedReference(text, at);
    else if (checkedText(text, at, names)) variables[name] = text;
    else texts[name] = text;
  }
  const own = new Set(Object.keys(env));
  const plain = { ...without(profile.set, own), ...plainTexts(texts, within(spot, 'env')) };
  return {
    // A variable left out for a call is unset; the worker's own is not used.
    env: {
      pass: profile.pass.filter((name) => !own.has(name)),
      set: plain,
      secrets: { ...without(profile.secrets, own), ...secrets },
    },
    ...(Object.keys(variables).length > 0 && { variables }),
  };
}

/** Whether to evaluate a checked text. @throws AbilityError `expression.*`, `definition.invalid`. */
function checkedText(text: string, spot: Spot, names: ArgumentNames): boolean {
  checkTemplate(text, IN_SCRIPTS, spot);
  checkOwnPlaceholders(text, names, locationOf(spot));
  return text.includes('${{') || ownNamesIn(text).length > 0;
}

/** The error does not repeat the value, which may be the secret itself. */
function checkedReference(text: string, spot: Spot): string {
  const checked = secretReference.safeParse(text);
  if (checked.success) return text;
  throw invalidDefinition(
    checked.error.issues[0]?.message ?? SECRET_MESSAGE,
    locationOf(spot),
    'To use a text that looks like a reference, write it as ${{ "..." }}.',
  );
}

function without(texts: Record<string, string>, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.has(name)));
}
