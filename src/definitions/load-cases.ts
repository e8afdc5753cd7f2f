import { formatLocation, type Problem } from '../contracts/problem.js';
import { findAbility, isBesideAbilities } from './case-files.js';
import { checkFormat } from './check-format.js';
import { definitionFiles } from './find-files.js';
import { foldersOf } from './find-project.js';
import { type CaseFile, cases } from './formats/cases.js';
import { isCaseFile } from './is-case-file.js';
import { FileCache, type ReadFile, sourceOf } from './read-files.js';
import type { Loaded } from './registry.js';
import { isProblem } from './yaml-source.js';

export interface LoadedCases {
  suites: Loaded<CaseFile>[];
  broken: BrokenCases[];
}

interface BrokenCases {
  /** The ability it tests, if known. */
  ability: string | undefined;
  problems: Problem[];
}

/** Loads `*.test.yaml` beside the definitions of abilities. @throws AbilityError `project.two_registries`. */
export function loadCases(root: string): LoadedCases {
  const files = new FileCache(root);
  const loaded: LoadedCases = { suites: [], broken: [] };
  for (const { kind, path } of definitionFiles(foldersOf(root))) {
    if (!isBesideAbilities(kind) || !isCaseFile(path)) continue;
    const read = files.read(path);
    const suite = suiteOf(read);
    if (Array.isArray(suite)) loaded.broken.push({ ability: abilityOf(read), problems: suite });
    else loaded.suites.push(suite);
  }
  return loaded;
}

function suiteOf({ source, file }: ReadFile): Loaded<CaseFile> | Problem[] {
  if (isProblem(source)) return [source];
  const ability = findAbility(source);
  if (ability) return [ability];
  const checked = checkFormat(cases, source);
  if ('problems' in checked) return checked.problems;
  const suite = { value: checked.value, file, locate: source.locate };
  const twice = findTwice(suite);
  return twice ? [twice] : suite;
}

function abilityOf(read: ReadFile): string | undefined {
  const value = sourceOf(read)?.value as { ability?: unknown } | null | undefined;
  return typeof value?.ability === 'string' ? value.ability : undefined;
}

/** Names must be unique, since reports identify cases by name. */
function findTwice({ value, locate }: Loaded<CaseFile>): Problem | undefined {
  const seen = new Map<string, number>();
  for (const [index, { name }] of value.cases.entries()) {
    const first = seen.get(name);
    if (first !== undefined) {
      return {
        code: 'definition.duplicate',
        message: `Two cases are called "${name}"; the first is in ${formatLocation(locate(['cases', first, 'name']))}`,
        location: locate(['cases', index, 'name']),
        suggestion: 'Rename one of them.',
      };
    }
    seen.set(name, index);
  }
  return undefined;
}
