import type { ApprovalPreview, HookPreview, PlanPreview, Runs, StepPreview } from '../../contracts/preview.js';

type Tree = Pick<PlanPreview, 'steps' | 'on_error' | 'finally'>;

/**
 * The steps of a plan with those of its groups, of its error handlers, and of the workflows that it calls.
 * @param counts absent: all do.
 */
export function stepsIn(
  { steps, on_error, finally: last }: Tree,
  counts: (part: { runs: Runs }) => boolean = () => true,
): StepPreview[] {
  const handlers = on_error.filter(counts).flatMap((group) => group.steps);
  return [...steps, ...handlers, ...last]
    .filter(counts)
    .flatMap((step) => [
      step,
      ...stepsIn({ steps: [], on_error: step.groups, finally: [] }, counts),
      ...(step.call?.workflow ? stepsIn(step.call.workflow, counts) : []),
    ]);
}

function mayRun({ runs }: { runs: Runs }): boolean {
  return runs !== 'no';
}

/** The approvals that may be requested: at the start, at steps, at calls and the start of what they call, and before an undo. */
export function approvalsIn(preview: Pick<PlanPreview, 'start'> & Tree): ApprovalPreview[] {
  const reached = stepsIn(preview, mayRun).flatMap(({ approval, call, undo }) => {
    return [approval, call?.approval, call?.workflow?.approval, undo?.approval];
  });
  return [preview.start.approval, ...reached].flatMap((approval) => approval ?? []);
}

/** The hooks that may be asked, from creation on. */
export function hooksIn(preview: Pick<PlanPreview, 'creation' | 'start'> & Tree): HookPreview[] {
  const reached = stepsIn(preview, mayRun).flatMap(({ call }) => [
    ...(call?.hooks ?? []),
    ...(call?.workflow?.hooks ?? []),
  ]);
  return [...preview.creation.flatMap((part) => part.hooks), ...preview.start.hooks, ...reached];
}
