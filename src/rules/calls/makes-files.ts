import type { PlanOperation } from '../../contracts/plan.js';

export function makesFiles(operation: Pick<PlanOperation, 'output_files' | 'implementation'> | undefined): boolean {
  if (operation === undefined) return false;
  const { output_files, implementation } = operation;
  return output_files !== undefined || (implementation.kind === 'api' && implementation.api.response?.as === 'file');
}
