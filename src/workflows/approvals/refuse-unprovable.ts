import { StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { askProof } from './ask-proof.js';

/**
 * Refuses to raise an approval that nobody could give.
 *
 * @throws StepFailure `feature.unsupported`.
 */
export async function refuseUnprovable(run: TaskRun): Promise<void> {
  const { environment } = run.plan;
  if (environment.proof !== 'required') return;
  // Plans of earlier versions say nothing of it, and their histories hold no check.
  if (environment.proofs === undefined) {
    throw new StepFailure({
      code: 'feature.unsupported',
      message: `${environment.name} asks for proof of who decides, which this version cannot check`,
      suggestion: 'Leave out `proof: required`, or run where approvals are claims.',
    });
  }
  run.provable ??= askProof(run, {}).then(
    ({ able }) => able,
    () => false,
  );
  if (await run.provable) return;
  throw new StepFailure({
    code: 'feature.unsupported',
    message: `${environment.name} asks for proof of who decides, and only the project's own runtime can check one: this worker is none of it`,
    suggestion: 'Leave out `proof: required` in this environment, or run on the own runtime of the project.',
  });
}
