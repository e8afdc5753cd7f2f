import { join } from 'node:path';
import { formatLocation, type Problem } from '../contracts/problem.js';
import { isCaseFile } from './case-files.js';
import { checkFormat } from './check-format.js';
import { foldersOf } from './find-project.js';
import { type CaseFile, cases } from './formats/cases.js';
import { FileCache, yamlFilesIn } from './read-files.js';
import type { Loaded } from './registry.js';
import { isProblem } from './yaml-source.js';

/** The test cases of a project, with what is broken kept apart. */
export interface LoadedCases {
  suites: Loaded<CaseFile>[];
  problems: Problem[];
}

/**
 * Loads the files of test cases: `*.test.yaml` beside the definitions of abilities.
 *
 * @throws AbilityError `project.two_registries`.
 */
export function loadCases(root: string): LoadedCases {
  const { registry } = foldersOf(root);
  const files = new FileCache(root);
  const loaded: LoadedCases = { suites: [], problems: [] };
  const paths = ['high-level', 'low-level'].flatMap((level) => yamlFilesIn(join(registry, level))).filter(isCaseFile);
  for (const path of paths) {
    const { source, file } = files.read(path);
    if (isProblem(source)) {
      loaded.problems.push(source);
      continue;
    }
    const checked = checkFormat(cases, source);
    if ('problems' in checked) loaded.problems.push(...checked.problems);
    else {
      const suite = { value: checked.value, file, locate: source.locate };
      const twice = findTwice(suite);
      if (twice) loaded.problems.push(twice);
      else loaded.suites.push(suite);
    }
  }
  return loaded;
}

/** Reports tell cases apart by their names. */
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
