import type { Problem } from '../contracts/problem.js';
import { isCaseFile } from './is-case-file.js';
import { type ReadFile, sourceOf } from './read-files.js';
import type { FileKindName } from './registry.js';
import type { YamlSource } from './yaml-source.js';

/** Whether a file beside abilities holds test cases, so that the registry leaves it out. */
export function holdsCases(kind: FileKindName, read: ReadFile): boolean {
  const source = sourceOf(read);
  return isBesideAbilities(kind) && isCaseFile(read.file) && !(source && definesAbility(source));
}

/** Reports an ability in a file that is named like test cases, instead of skipping it. */
export function findAbilityAmongCases(kind: FileKindName, source: YamlSource): Problem | undefined {
  return isBesideAbilities(kind) && isCaseFile(source.file) ? findAbility(source) : undefined;
}

export function findAbility(source: YamlSource): Problem | undefined {
  if (!definesAbility(source)) return undefined;
  return {
    code: 'definition.invalid',
    message: `${source.file} defines an ability, but files that end in .test.yaml hold test cases`,
    location: source.locate([]),
    suggestion: 'Give the file another name.',
  };
}

/** Whether files of this kind may lie beside files of test cases. */
export function isBesideAbilities(kind: FileKindName): boolean {
  return kind === 'low-level' || kind === 'high-level';
}

function definesAbility({ value }: YamlSource): boolean {
  return value !== null && typeof value === 'object' && ('operation_key' in value || 'id' in value);
}
