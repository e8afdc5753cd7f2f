import type { Registry } from '../../definitions/registry.js';
import type { PlannedFile } from '../planned-file.js';
import { findDocuments } from '../routing-documents/find-documents.js';
import { type DocumentPlan, planDocuments } from '../routing-documents/plan-documents.js';

/** What becomes of the routing documents of a project. */
export interface FollowedDocuments {
  files: PlannedFile[];
  notes: string[];
}

/**
 * Keeps routing documents in step with abilities that have come.
 *
 * Only what was in step before: in others it would change what nobody asked for, so those are told. Source: R-000-88.
 *
 * @param before the project as it was; its documents have not been written since.
 */
export function followDocuments(before: Registry, after: Registry): FollowedDocuments {
  const files = findDocuments(after.root);
  const earlier = planDocuments(before, files);
  const followed: FollowedDocuments = { files: [], notes: [] };
  for (const [index, plan] of planDocuments(after, files).entries()) {
    if (isInStep(plan)) continue;
    const was = earlier[index];
    if (plan.status === 'broken' || !was || !isInStep(was) || plan.before === undefined) {
      followed.notes.push(
        `${plan.file} is out of step with the abilities, and was before: look at \`ability docs --check\`.`,
      );
    } else followed.files.push({ path: plan.file, content: plan.update.text, before: plan.before });
  }
  return followed;
}

function isInStep(plan: DocumentPlan): boolean {
  return plan.status === 'planned' && plan.update.text === plan.before;
}
