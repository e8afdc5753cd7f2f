import { Context } from '@temporalio/activity';
import type { EnterAnswer, EnterRequest } from '../contracts/activities.js';
import { AbilityError } from '../contracts/problem.js';
import { checkAgainst } from '../planning/input/schemas.js';
import { toFailure } from './failures.js';
import type { PlanSource } from './plan-source.js';
import { newRecord } from './record/new-record.js';
import type { RecordFolder } from './record/record-folder.js';
import { taskOf } from './task-of.js';

/** What the beginning of a task that another one called needs of its worker. */
export interface EnterDependencies {
  host: string;
  plans: PlanSource;
  records: RecordFolder;
}

/**
 * Begins a task that another one called: checks its input and makes its record.
 *
 * A record that cannot be made is a warning, since the history has everything. Source: docs/architecture.md#the-way-of-a-task.
 */
export function createEnter(dependencies: EnterDependencies): (request: EnterRequest) => Promise<EnterAnswer> {
  return async (request) => {
    try {
      return await enter(request, Context.current(), dependencies);
    } catch (error) {
      throw toFailure(error);
    }
  };
}

async function enter(
  request: EnterRequest,
  context: Context,
  { host, plans, records }: EnterDependencies,
): Promise<EnterAnswer> {
  const admitted = await plans.admit(request.seal, context.info);
  const { plan } = admitted;
  const what = `The input of ${plan.ability.id}`;
  const { engine } = plan;
  const input = checkAgainst(plan.ability.input_schema, request.input, { code: 'input.invalid', what, engine });
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
}
