import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { findDocuments } from '../routing-documents/find-documents.js';
import { type DocumentPlan, planAdditions, planDocuments } from '../routing-documents/plan-documents.js';
import type { PlannedFile } from '../write-together.js';

export interface FollowedDocuments {
  files: PlannedFile[];
  notes: string[];
}

/**
 * Updates documents that were in step; others would get unrelated changes and are reported. Source: R-000-88.
 * @param before the registry before the change; the documents have not been written since.
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

/**
 * As {@link followDocuments}, after a promotion: also creates the scope's document if it is missing, and requires
 * a row of each new ability in it. Source: R-000-88, R-000-91.
 * @param page of the scope, from the project root. @throws AbilityError `harvest.no_page` if a row is missing.
 */
export function followPromotion(
  before: Registry,
  after: Registry,
  { abilities, page }: { abilities: readonly string[]; page: string },
): FollowedDocuments {
  const followed = followDocuments(before, after);
  if (!existsSync(join(after.root, page))) {
    for (const plan of planAdditions(after, [page])) {
      if (plan.status === 'planned') followed.files.push({ path: page, content: plan.update.text });
    }
  }
  const text = followed.files.find(({ path }) => path === page)?.content ?? '';
  const missing = abilities.filter((id) => !text.includes(`| ${id} |`));
  if (missing.length === 0) return followed;
  const [plan] = planDocuments(before, [page]);
  throw new AbilityError({
    code: 'harvest.no_page',
    message: `${page} cannot take a row of ${missing.join(', ')}: ${reasonOf(plan)}; nothing was written`,
    location: { file: page },
    suggestion: `Run ability docs --check ${page}, bring the page in step, and run the command again.`,
  });
}

function reasonOf(plan: DocumentPlan | undefined): string {
  if (plan?.status !== 'planned') return plan?.problems[0]?.message ?? 'it cannot be read';
  if (plan.care === 'own') return 'it contains `ability:own`, so only its author writes its tables';
  if (plan.care !== 'kept') return 'it has no tables that are kept in step';
  if (plan.update.text !== plan.before) return 'it was out of step with the abilities before';
  return 'its rows are chosen by hand, or its marker leaves this one out';
}
