import type { PlanEnvProfile, PlanScript } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { ScriptDefinition } from '../../definitions/formats/implementation.js';
import { SECRET_MESSAGE, secretReference } from '../../definitions/formats/values.js';
import type { Loaded } from '../../definitions/registry.js';
import { checkTemplate } from '../steps/check-names.js';
import { type ArgumentNames, checkOwnPlaceholders, plainTexts } from './check-placeholders.js';
import { ownNamesIn } from './placeholders.js';
import { IN_SCRIPTS } from './resolve-arguments.js';

/**
 * A script's environment: its own variables over those of its profile. A text of `env` may be a reference to a
 * secret; with `${{ }}` or a placeholder it is evaluated for each call; otherwise it is passed on.
 * @throws AbilityError `expression.*`, `definition.invalid`, with the place.
 */
export function resolveVariables(
  { env, set }: Pick<ScriptDefinition, 'env' | 'set'>,
  profile: PlanEnvProfile,
  owner: Loaded<unknown>,
  path: PropertyKey[],
  names: ArgumentNames,
): Pick<PlanScript, 'env' | 'variables'> {
  if (!env) return { env: { ...profile, set: { ...profile.set, ...plainTexts(set ?? {}, owner, [...path, 'set']) } } };
  if (set) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: 'A script has either `env` or `set`, its older name',
      location: owner.locate([...path, 'set'], 'key'),
      suggestion: 'Move these variables to `env`.',
    });
  }
  const texts: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  const variables: Record<string, string> = {};
  for (const [name, text] of Object.entries(env)) {
    const at = [...path, 'env', name];
    if (isReference(text)) secrets[name] = checkedReference(text, owner, at);
    else if (checkedText(text, owner, at, names)) variables[name] = text;
    else texts[name] = text;
  }
  const own = new Set(Object.keys(env));
  const plain = { ...without(profile.set, own), ...plainTexts(texts, owner, [...path, 'env']) };
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
export function checkedText(
  text: string,
  owner: Loaded<unknown>,
  path: readonly PropertyKey[],
  names: ArgumentNames,
): boolean {
  checkTemplate(text, IN_SCRIPTS, owner, path);
  checkOwnPlaceholders(text, names, owner.locate([...path]));
  return text.includes('${{') || ownNamesIn(text).length > 0;
}

function isReference(text: string): boolean {
  return /^(env|file):/.test(text);
}

/** The error does not repeat the value, which may be the secret itself. */
function checkedReference(text: string, owner: Loaded<unknown>, path: readonly PropertyKey[]): string {
  const checked = secretReference.safeParse(text);
  if (checked.success) return text;
  throw new AbilityError({
    code: 'definition.invalid',
    message: checked.error.issues[0]?.message ?? SECRET_MESSAGE,
    location: owner.locate([...path]),
    suggestion: 'To use a text that begins with `env:` or `file:`, write it as ${{ "..." }}.',
  });
}

function without(texts: Record<string, string>, names: ReadonlySet<string>): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).filter(([name]) => !names.has(name)));
}
