import { meaningOf } from '../contracts/codes.js';
import type { Finding } from '../contracts/findings.js';
import type { Problem } from '../contracts/problem.js';
import { loadCases } from '../definitions/load-cases.js';
import type { Registry } from '../definitions/registry.js';
import { prepareCases } from './prepare-cases.js';

/**
 * What `ability test` would refuse in the files of test cases, so that lint tells it, too.
 *
 * Cases that choose no environment are looked at in the first one, where the project has no default either.
 */
export function checkCases(registry: Registry): Finding[] {
  const { default_environment, environments } = registry.project;
  const environment = default_environment === undefined ? Object.keys(environments)[0] : undefined;
  const { problems } = prepareCases(registry, loadCases(registry.root), { environment });
  return problems.map(findingOfProblem);
}

function findingOfProblem({ code, message, location, suggestion }: Problem): Finding {
  const { means, next } = meaningOf(code) ?? { means: 'A file of test cases cannot be used.', next: 'Correct it.' };
  const { file = '', line = 1, column = 1 } = location ?? {};
  return { code, severity: 'error', message, why: means, fix: suggestion ?? next, location: { file, line, column } };
}
