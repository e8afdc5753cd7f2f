import type { Finding } from '../../contracts/findings.js';
import { LINT_CODES } from '../../contracts/lint-codes.js';
import type { Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import type { Note } from './choose-rows.js';
import { findDocuments } from './find-documents.js';
import { type DocumentPlan, planDocuments } from './plan-documents.js';
import type { Change } from './read-table.js';

const REWRITE = 'Run `ability docs`, look at the change, and commit it.';

/** What `ability docs --check` refuses; empty if all documents are in step. Source: R-000-88. */
export function checkRoutingDocuments(registry: Registry): Finding[] {
  return planDocuments(registry, findDocuments(registry.root)).flatMap((plan) => {
    if (plan.status === 'broken') return plan.problems.map((problem) => findingOfProblem(plan.file, problem));
    if (plan.care !== 'kept') return findingsOfNeglect(plan);
    const { changes, notes } = plan.update;
    return [
      ...changes.map((change) => findingOfChange(plan.file, change)),
      ...notes.flatMap((note) => (note.code ? [findingOfNote(plan.file, note.code, note)] : [])),
    ];
  });
}

/** Reports a page that is not kept in step, unless its author marked that as intended. */
function findingsOfNeglect({ file, care, update }: Extract<DocumentPlan, { status: 'planned' }>): Finding[] {
  if (care === 'own' || care === 'kept') return [];
  const said: Record<typeof care, string> = {
    none: 'The page has no tables of abilities, so nothing keeps it in step',
    taken_over: 'The tables of the page have no markers yet, so nothing keeps them in step',
    hindered: 'The tables of the page cannot be taken over as they are, so nothing keeps them in step',
  };
  const [first] = [...update.changes, ...update.notes];
  const fixes: Record<typeof care, string> = {
    none: `Run \`ability docs --add ${file}\`, or write <!-- ability:own --> on a line of its own.`,
    taken_over: REWRITE,
    hindered: `Correct line ${first?.line ?? 1} (${first?.message ?? ''}), or run \`ability docs --add ${file}\`.`,
  };
  const { severity, why } = LINT_CODES['lint.page_not_kept'];
  const location = { file, line: care === 'none' ? 1 : (first?.line ?? 1), column: 1 };
  return [{ code: 'lint.page_not_kept', severity, message: said[care], why, fix: fixes[care], location }];
}

function findingOfNote(file: string, code: keyof typeof LINT_CODES, { line, message }: Note): Finding {
  const { severity, why, fix } = LINT_CODES[code];
  return { code, severity, message, why, fix, location: { file, line, column: 1 } };
}

function findingOfProblem(file: string, { message, suggestion, location }: Problem): Finding {
  const why =
    'A routing document that cannot be read exactly is not written, so it falls out of step with the abilities.';
  const fix = suggestion ?? 'Correct the document at this place.';
  const place = { file, line: location?.line ?? 1, column: location?.column ?? 1 };
  return { code: 'docs.invalid', severity: 'error', message, why, fix, location: place };
}

function findingOfChange(file: string, { message, line }: Change): Finding {
  const why = 'People and AI choose abilities from this page: what it leaves out, or says wrongly, is not found.';
  return {
    code: 'docs.out_of_step',
    severity: 'error',
    message,
    why,
    fix: REWRITE,
    location: { file, line, column: 1 },
  };
}
