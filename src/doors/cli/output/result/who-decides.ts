import type { Approvers } from '../../../../contracts/plan.js';

/** The approvers as written, with the people of the groups among them in brackets; `anyone` where none are named. */
export function whoDecides({
  approvers,
  people,
}: {
  approvers: Approvers['listed'];
  people: Approvers['people'];
}): string {
  if (approvers.length === 0) return 'anyone';
  const named = approvers.join(', ');
  return people.join(', ') === named ? named : `${named} (${people.join(', ') || 'no one'})`;
}
