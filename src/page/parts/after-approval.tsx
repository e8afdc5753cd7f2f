import type { JSX } from 'preact';
import { generalPath } from '../../rules/steps/step-tree.js';
import { call } from '../call.js';
import { t } from '../texts/text.js';
import type { Waiting } from './may-decide.js';
import { Problem } from './parts.js';
import { flatSteps, hasChanged, PlanSteps } from './plan-steps.js';
import { useData } from './use-data.js';

/** The steps that follow the approval, with what they run and what would undo them. */
export function AfterApproval({ approval }: { approval: Waiting }): JSX.Element | null {
  const { task_key, task_ability: id, path } = approval;
  const { data, refusal } = useData(`after ${task_key} ${path}`, async () => {
    const { input } = await call('readInput', { key: task_key });
    const { environment } = approval.what;
    return call('planAbility', { id, environment, input: input as Record<string, unknown> });
  });
  if (refusal) return <Problem refusal={refusal} />;
  if (!data) return <p class="quiet">{t('loading')}</p>;
  const all = flatSteps(data.steps);
  const at = path === 'run' ? -1 : all.findIndex((step) => step.path === generalPath(path));
  const after = [...all.slice(all[at]?.call ? at : at + 1), ...flatSteps(data.finally)];
  return (
    <>
      <p class="quiet">{t(hasChanged(data, approval.plan_digest) ? 'approval.after.changed' : 'approval.after.now')}</p>
      {after.length === 0 ? (
        <p>{t('approval.after.nothing')}</p>
      ) : (
        <PlanSteps steps={after} operations={data.operations} />
      )}
    </>
  );
}
