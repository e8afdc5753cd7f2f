import type { Finding } from '../../contracts/findings.js';
import type { Registry } from '../../definitions/registry.js';
import { siteFolders } from '../scaffold/scaffold.js';
import { findAgentDocuments, planAgentDocuments } from './plan-agent-documents.js';

/**
 * Where documents for AIs that carry our markers do not say what this version says. A warning: another version of the command is no
 * fault of the project. Those without markers are their authors'. Source: R-002-56.
 */
export function checkAgentDocuments({ root }: Pick<Registry, 'root'>): Finding[] {
  const { registry } = siteFolders(root);
  return planAgentDocuments(root, registry, findAgentDocuments(root, registry)).flatMap((plan): Finding[] => {
    if (plan.status === 'broken') {
      const [problem] = plan.problems;
      return [finding(plan.file, problem?.location?.line ?? 1, problem?.message ?? `${plan.file} cannot be read`)];
    }
    const { file, before = '', update } = plan;
    if (update.text === before) return [];
    return [finding(file, firstDifference(before, update.text), `${file} does not say what this version says`)];
  });
}

function finding(file: string, line: number, message: string): Finding {
  return {
    code: 'docs.out_of_step',
    severity: 'warning',
    message,
    why: 'An AI that works here reads the rules from it: what blocks, what the exit codes mean, and what it must not call.',
    fix: 'Run `ability docs`, look at the change, and commit it.',
    location: { file, line, column: 1 },
  };
}

/** From 1. */
function firstDifference(one: string, other: string): number {
  const [lines, others] = [one.split('\n'), other.split('\n')];
  const at = lines.findIndex((line, index) => line !== others[index]);
  return at < 0 ? lines.length : at + 1;
}
