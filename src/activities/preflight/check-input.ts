import type { CheckInputAnswer, CheckInputRequest } from '../../contracts/activities.js';
import { operationInput, taskInput } from '../../planning/resolve/check-parameters.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf } from '../failures.js';
import { sealInvalid } from '../seal.js';
import { type CreationDependencies, guardChange } from './guard-creation.js';

/**
 * Checks the input that a decision changed, by its schema in the sealed plan; that of a task that no other called, by the
 * creation hooks of that plan as well. Source: docs/approvals.md#correct-then-approve.
 */
export function createCheckInput(dependencies: CreationDependencies & Pick<ActivityDependencies, 'plans'>) {
  return activityOf(
    async ({ seal: mark, operation: key, input: given }: CheckInputRequest, context): Promise<CheckInputAnswer> => {
      const admitted = await dependencies.plans.admit(mark, context.info);
      const { plan, seal, user, session, caller } = admitted;
      const task = taskOf(context);
      if (key !== null) {
        const operation = plan.operations[key];
        if (!operation) throw sealInvalid(`The sealed plan of ${seal.task} does not call ${key}`);
        return { input: operationInput(operation, given), confirmations: [] };
      }
      const input = taskInput(plan, given);
      if (task !== seal.task) return { input, confirmations: [] };
      const environment = plan.environment.name;
      const asking = { environment, task, moment: Date.now(), user, session, scope: seal.scope, caller };
      const confirmations = await guardChange(plan, input, asking, dependencies, context.cancellationSignal);
      return { input, confirmations };
    },
    { beats: true },
  );
}
