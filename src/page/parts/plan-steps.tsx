import type { JSX } from 'preact';
import type { OperationPreview, PlanPreview, StepPreview } from '../../contracts/preview.js';
import { abilityPath } from '../address.js';
import { t } from '../texts/text.js';
import { Effects } from './parts.js';

/** The steps of a tree in order, those within others after them. */
export function flatSteps(steps: readonly StepPreview[]): StepPreview[] {
  return steps.flatMap((step) => [step, ...step.groups.flatMap((group) => flatSteps(group.steps))]);
}

/**
 * Whether a definition is certainly no longer that of a task. @param digest of the task's plan. Tools that are pinned when a
 * task is created are part of its digest alone, so with these it is not known.
 */
export function hasChanged(
  now: Pick<PlanPreview, 'digest' | 'pinned_at_creation'>,
  digest: string | undefined,
): boolean {
  return now.pinned_at_creation.length === 0 && now.digest !== digest;
}

/** Steps as a list: what each runs, with which effects, who is asked, and what undoes it. */
export function PlanSteps({
  steps,
  operations,
}: {
  steps: readonly StepPreview[];
  operations: readonly OperationPreview[];
}): JSX.Element {
  return (
    <ol class="plan">
      {steps.map((step) => {
        const { path, what, call, approval, undo, runs, because } = step;
        const runsWhat = call && operations.find(({ key }) => key === call.ability)?.does;
        return (
          <li key={path} class={`runs-${runs}`}>
            <span class="path">{path}</span> {call ? <a href={abilityPath(call.ability)}>{call.ability}</a> : what}{' '}
            {call && <Effects effects={call.effects} />} {runs === 'maybe' && <em>{t('ability.plan.maybe')}</em>}
            {runsWhat && <code>{runsWhat}</code>}
            {because && <span class="quiet">{because}</span>}
            {approval && (
              <span class="asks">
                {approval.asked === 'maybe' && `${t('ability.plan.maybe')} `}
                {t('ability.plan.approval', { who: approval.approvers.join(', ') || t('approval.anyone') })}
              </span>
            )}
            {undo && (
              <span class="quiet">
                {t('approval.undo')} {undo.call} <Effects effects={undo.effects} />
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
