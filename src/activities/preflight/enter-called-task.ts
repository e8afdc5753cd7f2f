import type { EnterAnswer, EnterRequest } from '../../contracts/activities.js';
import { AbilityError } from '../../contracts/problem.js';
import { checkAgainst } from '../../planning/input/schemas.js';
import { activityOf, taskOf } from '../activity.js';
import type { ActivityDependencies } from '../dependencies.js';
import { newRecord } from '../record/new-record.js';

/** A failed record is a warning: the history has all. Source: docs/architecture.md#the-way-of-a-task. */
export function createEnter({ host, plans, records }: Pick<ActivityDependencies, 'host' | 'plans' | 'records'>) {
  return activityOf(async (request: EnterRequest, context): Promise<EnterAnswer> => {
    const admitted = await plans.admit(request.seal, context.info);
    const { ability } = admitted.plan;
    const what = `The input of ${ability.id}`;
    const input = checkAgainst(ability.input_schema, request.input, { code: 'input.invalid', what });
    const task = taskOf(context);
    const warnings: string[] = [];
    if (records.pathOf(task)) {
      try {
        records.replace(newRecord({ ...admitted, task, host, input, created_at: new Date().toISOString() }));
      } catch (error) {
        if (!(error instanceof AbilityError)) throw error;
        warnings.push(`${error.code}: ${error.message}`);
      }
    }
    return { input, warnings };
  });
}
