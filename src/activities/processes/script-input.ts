import { type FileValue, isFileValue } from '../../contracts/files.js';
import type { PlanEnvProfile, PlanScript } from '../../contracts/plan-operation.js';
import {
  type EvaluatedText,
  evaluateScript,
  plainTextOf,
  type ScriptFacts,
  type ValuePiece,
  valuesIn,
  type WrittenScript,
  writeScript,
} from '../../planning/scripts/texts.js';
import type { SecretSource } from '../../planning/secrets/secret-source.js';
import type { CallFiles } from '../files/call-files.js';

export type GivenScript = Omit<WrittenScript, 'stdin'> & { stdin?: string | { file: string } };

/**
 * The arguments, stdin and variables for one call. A file becomes the path of a copy; as all of stdin, its bytes.
 * @throws AbilityError `expression.*`, `input.invalid`, with the place; `file.not_of_task`, `store.not_shared`.
 */
export async function textsOf(
  script: Pick<PlanScript, 'args' | 'stdin' | 'variables'>,
  facts: ScriptFacts,
  files?: Pick<CallFiles, 'copyOf'>,
): Promise<GivenScript> {
  const { stdin, ...evaluated } = evaluateScript(script, facts);
  const paths = new Map<ValuePiece, string>();
  // A hook gets no files: to it, a file value is a plain map.
  for (const piece of files ? valuesIn(evaluated) : []) {
    if (files && isFileValue(piece.value)) paths.set(piece, await files.copyOf(piece.value));
  }
  const input = files && stdin ? fileIn(stdin) : undefined;
  const texts = input || !stdin ? evaluated : { ...evaluated, stdin };
  const written: GivenScript = writeScript(texts, (piece) => paths.get(piece) ?? plainTextOf(piece));
  return files && input ? { ...written, stdin: { file: await files.copyOf(input) } } : written;
}

function fileIn({ pieces }: EvaluatedText): FileValue | undefined {
  const [only, ...others] = pieces.filter((piece) => !('text' in piece) || piece.text !== '');
  return others.length === 0 && only && 'value' in only && isFileValue(only.value) ? only.value : undefined;
}

/**
 * A child process gets its profile and the given names only. Secrets are resolved here and passed to `hide`, so
 * that logs mask them. Source: docs/operations.md#safety; docs/scripts.md. @throws AbilityError
 * `config.missing_credential`.
 */
export function environmentOf(
  profile: PlanEnvProfile,
  secrets: SecretSource,
  hide: (secret: string) => void,
  names: Record<string, string> = {},
): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const name of profile.pass) {
    const value = secrets.inherited(name);
    if (value !== undefined) environment[name] = value;
  }
  Object.assign(environment, profile.set);
  for (const [name, reference] of Object.entries(profile.secrets)) {
    const value = secrets.resolve(reference, `secret ${name}`);
    hide(value);
    environment[name] = value;
  }
  return Object.assign(environment, names);
}
