import type { Finding } from '../../contracts/findings.js';
import { LINT_CODES } from '../../contracts/lint-codes.js';
import type { Registry } from '../../definitions/registry.js';
import { findDocuments } from './find-documents.js';
import { type DocumentPlan, planDocuments } from './plan-documents.js';

const REWRITE = 'Run `ability docs`, look at the change, and commit it.';

/** What `ability docs --check` refuses; empty if all documents are in step. Source: R-000-88. */
export function checkRoutingDocuments(registry: Registry): Finding[] {
  return planDocuments(registry, findDocuments(registry.root)).flatMap((plan) => {
    const { file } = plan;
    if (plan.status === 'broken') {
      return plan.problems.map(({ message, suggestion: fix, location }) => {
        return finding(BROKEN, message, { file, line: 1, column: 1, ...location }, fix);
      });
    }
    if (plan.care !== 'kept') return findingsOfNeglect(plan);
    const at = (line: number) => ({ file, line, column: 1 });
    return [
      ...plan.update.changes.map(({ message, line }) => finding(OUT_OF_STEP, message, at(line))),
      ...plan.update.notes.flatMap(({ code, message, line }) =>
        code ? [finding({ code, ...LINT_CODES[code] }, message, at(line))] : [],
      ),
    ];
  });
}

type Kind = Pick<Finding, 'code' | 'severity' | 'why' | 'fix'>;

const BROKEN: Kind = {
  code: 'docs.invalid',
  severity: 'error',
  why: 'A routing document that cannot be read exactly is not written, so it falls out of step with the abilities.',
  fix: 'Correct the document at this place.',
};

const OUT_OF_STEP: Kind = {
  code: 'docs.out_of_step',
  severity: 'error',
  why: 'People and AI choose abilities from this page: what it leaves out, or says wrongly, is not found.',
  fix: REWRITE,
};

function finding(kind: Kind, message: string, location: Finding['location'], fix = kind.fix): Finding {
  const { code, severity, why } = kind;
  return { code, severity, message, why, fix, location };
}

/** Reports a page that is not kept in step, unless its author marked that as intended. */
function findingsOfNeglect({ file, care, update }: Extract<DocumentPlan, { status: 'planned' }>): Finding[] {
  if (care === 'own' || care === 'kept') return [];
  const [first] = [...update.changes, ...update.notes];
  const line = care === 'none' ? 1 : (first?.line ?? 1);
  const said: Record<typeof care, [message: string, fix: string]> = {
    none: [
      'The page has no tables of abilities, so nothing keeps it in step',
      `Run \`ability docs --add ${file}\`, or write <!-- ability:own --> on a line of its own.`,
    ],
    taken_over: ['The tables of the page have no markers yet, so nothing keeps them in step', REWRITE],
    hindered: [
      'The tables of the page cannot be taken over as they are, so nothing keeps them in step',
      `Correct line ${line} (${first?.message ?? ''}), or run \`ability docs --add ${file}\`.`,
    ],
  };
  const [message, fix] = said[care];
  const code = 'lint.page_not_kept';
  return [finding({ code, ...LINT_CODES[code] }, message, { file, line, column: 1 }, fix)];
}
