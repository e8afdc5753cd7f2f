import type { BuiltinHook, Phase } from '../contracts/hooks.js';
import type { JsonObject } from '../contracts/json.js';
import { didYouMean } from '../text/nearest.js';

/** The phases in which each built-in handler makes sense. */
export const BUILTIN_PHASES: Record<BuiltinHook, readonly Phase[]> = {
  usage: ['PostAbilityCall'],
  credentials_present: ['PreAbilityCreate', 'PreAbilityCall'],
  environment_scope: ['PreAbilityCreate', 'PreAbilityCall'],
  suggest: ['PromptSubmit'],
};

const TAKES: Record<BuiltinHook, Record<string, 'optional' | 'required'>> = {
  usage: {},
  credentials_present: { names: 'optional' },
  environment_scope: { allow: 'required' },
  suggest: {},
};

/** The error in a handler's options, if any; an ignored option would skip a check. */
export function faultOfOptions(name: BuiltinHook, options: JsonObject): string | undefined {
  const known = Object.entries(TAKES[name]);
  const unknown = Object.keys(options).find((key) => !Object.hasOwn(TAKES[name], key));
  if (unknown !== undefined) {
    const near = didYouMean(unknown, Object.keys(TAKES[name]));
    return `it has no option \`${unknown}\`${near ? `. ${near}` : ''}`;
  }
  for (const [key, need] of known) {
    const value = options[key];
    if (value === undefined && need === 'optional') continue;
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
      return `its option \`${key}\` is not a list of names`;
    }
  }
  return undefined;
}
