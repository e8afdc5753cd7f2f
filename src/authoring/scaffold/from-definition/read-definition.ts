import type { z } from 'zod';
import { AbilityError, type Problem } from '../../../contracts/problem.js';
import { checkFormat } from '../../../definitions/check-format.js';
import { FORMATS, type FormatName } from '../../../definitions/schemas/schema-files.js';
import { findUnsupported } from '../../../definitions/unsupported.js';
import { readYaml, type YamlSource } from '../../../definitions/yaml-source.js';
import type { DefinitionKind } from '../../choices.js';

export interface GivenDefinition {
  kind: DefinitionKind;
  from: string;
  text: string;
  /** The id or file name, if the user passed one. */
  name?: string;
  phase?: string;
  /** A configuration that must be written together with it: neither is valid alone. */
  config?: { from: string; text: string };
}

export const FORMAT_OF: Record<DefinitionKind, FormatName> = {
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

export interface NewDefinition {
  source: YamlSource;
  /** The value after validation, with defaults. */
  // biome-ignore lint/suspicious/noExplicitAny: which format it has is known to who asked for the kind
  value: any;
}

/** @throws AbilityError with the code of the first problem, and all problems in `details.problems`. */
export function readDefinition({ kind, from, text }: GivenDefinition): NewDefinition {
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

/** The environments in its scope; undefined: all. @throws AbilityError as {@link readDefinition}. */
export function environmentsOf(given: GivenDefinition): readonly string[] | undefined {
  return readDefinition(given).value.scope?.environments;
}

/** The error for an invalid definition, with all its problems. @param problems at least one. */
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

/** Other formats have no loader of their own and are checked by their schema alone. */
function isFileKind(format: FormatName): format is Exclude<FormatName, 'agent' | 'project' | 'cases'> {
  return format !== 'agent' && format !== 'project' && format !== 'cases';
}

/** Workflows and agents share a folder and differ only in `type`. */
function refuseOtherType(kind: DefinitionKind, { value, locate }: YamlSource): void {
  const isAgent = value !== null && typeof value === 'object' && 'type' in value && value.type === 'agent';
  if (kind !== 'high-level' || !isAgent) return;
  throw refusedFor([
    {
      code: 'definition.invalid',
      message: 'It is an agent, and no workflow',
      location: locate(['type']),
      suggestion: 'Run `ability scaffold agent --from FILE`.',
    },
  ]);
}
