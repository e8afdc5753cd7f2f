import type { Note } from '../../../../authoring/routing-documents/choose-rows.js';
import type { DocumentPlan } from '../../../../authoring/routing-documents/plan-documents.js';
import type { Change } from '../../../../authoring/routing-documents/read-table.js';
import { unifiedDiff } from '../../../../authoring/routing-documents/unified-diff.js';
import type { Problem } from '../../../../contracts/problem.js';
import type { GapGroup } from '../../../answers/group-gaps.js';

/** `no_markers`: no ability tables; `not_kept`: tables cannot be taken over; `own`: kept by its author. */
export type DocumentStatus =
  | 'in_step'
  | 'written'
  | 'created'
  | 'out_of_step'
  | 'not_kept'
  | 'no_markers'
  | 'own'
  | 'broken';

/** What `ability docs --json` says of one document. */
export interface DocumentReport {
  file: string;
  status: DocumentStatus;
  changes: Change[];
  notes: Note[];
  /** Lines of a unified diff from the current text to the expected one. */
  diff: string[];
  problems: Problem[];
  /** Gaps that belong on the page; left out unless requested. Source: R-000-93. */
  gaps?: GapGroup[];
}

/** @param options whether the planned changes were written. */
export function reportOf(plan: DocumentPlan, { isWritten }: { isWritten: boolean }): DocumentReport {
  const { file } = plan;
  if (plan.status === 'broken') {
    return { file, status: 'broken', changes: [], notes: [], diff: [], problems: plan.problems };
  }
  const { before, update } = plan;
  const { changes, notes, text } = update;
  return {
    file,
    status: statusOf(plan, isWritten),
    changes,
    notes,
    diff: unifiedDiff(before ?? '', text),
    problems: [],
  };
}

/** The most severe one, in this order: `broken`, `out_of_step`, `not_kept`, `written`, `in_step`. */
export function statusOfAll(reports: readonly DocumentReport[]): DocumentStatus {
  const all = new Set(reports.map(({ status }) => status));
  if (all.has('broken')) return 'broken';
  if (all.has('out_of_step')) return 'out_of_step';
  if (all.has('not_kept')) return 'not_kept';
  return all.has('written') || all.has('created') ? 'written' : 'in_step';
}

function statusOf(
  { before, update, care }: Extract<DocumentPlan, { status: 'planned' }>,
  isWritten: boolean,
): DocumentStatus {
  if (care === 'own') return 'own';
  if (care === 'hindered') return 'not_kept';
  if (care === 'none') return 'no_markers';
  if (update.text === before) return 'in_step';
  if (!isWritten) return 'out_of_step';
  return before === undefined ? 'created' : 'written';
}
