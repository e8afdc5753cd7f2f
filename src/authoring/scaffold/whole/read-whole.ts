import type { z } from 'zod';
import { AbilityError, type Problem } from '../../../contracts/problem.js';
import { checkFormat } from '../../../definitions/check-format.js';
import { FORMATS, type FormatName } from '../../../definitions/schemas/schema-files.js';
import { findUnsupported } from '../../../definitions/unsupported.js';
import { readYaml, type YamlSource } from '../../../definitions/yaml-source.js';
import type { WholeKind } from '../../choices.js';

/** A whole definition as it was given. */
export interface GivenDefinition {
  kind: WholeKind;
  /** The name of the file, for messages. */
  from: string;
  text: string;
  /** Its id, or the name of its file, where one was given besides. */
  name?: string;
  /** Of a hook. */
  phase?: string;
  /** A file of configuration that comes with it, since neither holds without the other. */
  config?: { from: string; text: string };
}

/** The format of each kind that is scaffolded whole. */
export const FORMAT_OF: Record<WholeKind, FormatName> = {
  'low-level': 'low-level',
  'high-level': 'high-level',
  agent: 'agent',
  implementation: 'implementations',
  hook: 'hooks',
  cases: 'cases',
  config: 'config',
  module: 'modules',
  capabilities: 'capabilities',
  packs: 'packs',
};

/** The given definition, parsed and of the right form. */
export interface WholeDefinition {
  source: YamlSource;
  /** As its format gives it, with defaults. */
  // biome-ignore lint/suspicious/noExplicitAny: which format it has is known to who asked for the kind
  value: any;
}

/**
 * Reads a whole definition: YAML or JSON in the form of the registry's file of its kind.
 *
 * @throws AbilityError with the first problem's code, and each one with its place in `details.problems`.
 */
export function readWhole({ kind, from, text }: GivenDefinition): WholeDefinition {
  const read = readYaml(from, text);
  if ('code' in read) throw refusedFor([read]);
  refuseOtherType(kind, read);
  const format = FORMAT_OF[kind];
  const unsupported = isFileKind(format) ? findUnsupported(format, read) : undefined;
  if (unsupported) throw refusedFor([unsupported]);
  const checked = checkFormat(FORMATS[format].format as z.ZodType, read);
  if ('problems' in checked) throw refusedFor(checked.problems);
  return { source: read, value: checked.value };
}

/** The environments that the given definition is limited to; undefined: none. @throws AbilityError as {@link readWhole}. */
export function environmentsOf(given: GivenDefinition): readonly string[] | undefined {
  return readWhole(given).value.scope?.environments;
}

/** The refusal of a definition with all its errors. @param problems at least one. */
export function refusedFor(problems: readonly Problem[]): AbilityError {
  const [first = { code: 'definition.invalid', message: 'It is not valid' }, ...others] = problems;
  const more = others.length === 0 ? '' : ` (and ${others.length} more, in \`details\` of --json)`;
  return new AbilityError({
    ...first,
    message: `${first.message}${more}; nothing was written`,
    details: {
      problems: problems.map(({ code, message, location, suggestion }) => ({
        code,
        message,
        location: location ? { ...location } : null,
        suggestion: suggestion ?? null,
      })),
    },
  });
}

/** A definition that no loader reads from a file of its own is checked by its format alone. */
function isFileKind(format: FormatName): format is Exclude<FormatName, 'agent' | 'project' | 'cases'> {
  return format !== 'agent' && format !== 'project' && format !== 'cases';
}

/** Workflows and agents are in one folder and differ by `type`. */
function refuseOtherType(kind: WholeKind, { value, locate }: YamlSource): void {
  const isAgent = value !== null && typeof value === 'object' && 'type' in value && value.type === 'agent';
  if (kind !== 'high-level' || !isAgent) return;
  throw refusedFor([
    {
      code: 'definition.invalid',
      message: 'It is an agent, and no workflow',
      location: locate(['type']),
      suggestion: 'Write `ability scaffold agent --from FILE`.',
    },
  ]);
}
