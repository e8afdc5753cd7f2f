import type { Finding } from '../../contracts/findings.js';
import type { Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import type { Change } from './choose-rows.js';
import { findDocuments } from './find-documents.js';
import { planDocuments } from './plan-documents.js';

/**
 * Where the routing documents of a project are broken or not in step with its abilities; empty where all are.
 *
 * Writes nothing. What `ability docs --check` refuses and this says are the same. Source: R-000-88.
 */
export function checkRoutingDocuments(registry: Registry): Finding[] {
  return planDocuments(registry, findDocuments(registry.root)).flatMap((plan) => {
    if (plan.status === 'broken') return plan.problems.map((problem) => findingOfProblem(plan.file, problem));
    return plan.update.changes.map((change) => findingOfChange(plan.file, change));
  });
}

/** What is about a document as a whole stands at its beginning. */
function findingOfProblem(file: string, { message, suggestion, location }: Problem): Finding {
  return {
    code: 'docs.invalid',
    severity: 'error',
    message,
    why: 'A routing document that cannot be read exactly is not written, so it falls out of step with the abilities.',
    fix: suggestion ?? 'Correct the document at this place.',
    location: { file, line: location?.line ?? 1, column: location?.column ?? 1 },
  };
}

function findingOfChange(file: string, { message, line }: Change): Finding {
  return {
    code: 'docs.out_of_step',
    severity: 'error',
    message,
    why: 'People and AI choose abilities from this page: what it does not tell, or tells wrongly, is not found.',
    fix: 'Run `ability docs`, look at the change, and commit it.',
    location: { file, line, column: 1 },
  };
}
