import type { ApprovalSubject } from '../../contracts/approvals.js';
import { digestOf } from '../../rules/canonical.js';

/** Names the step, and what is asked by a digest. Source: docs/approvals.md. */
export function approvalIdOf(task: string, path: string, what: ApprovalSubject): string {
  return `${path.slice(path.lastIndexOf('/') + 1)}-${digestOf({ task, path, what }).slice(0, 12)}`;
}
