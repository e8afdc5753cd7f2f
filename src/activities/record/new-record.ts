import type { Caller } from '../../contracts/callers.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { TaskStart } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { defined } from '../../text/defined.js';

export interface RecordSource extends Pick<TaskStart, 'seal' | 'user' | 'session'> {
  caller?: Caller | undefined;
  plan: Plan;
  task: string;
  /** Run id of the first run of its execution, if known. */
  run_id?: string | undefined;
  host: string;
  input: JsonObject;
  /** ISO 8601. */
  created_at: string;
  changes?: TaskRecord['changes'] | undefined;
  changes_left?: TaskRecord['changes_left'] | undefined;
}

export function newRecord(source: RecordSource): TaskRecord {
  const {
    plan,
    task,
    run_id,
    host,
    seal,
    user,
    session,
    caller,
    input,
    created_at,
    changes = [],
    changes_left,
  } = source;
  return {
    format: 1,
    task_key: task,
    request: { ability: plan.ability.id, environment: plan.environment.name, input: digestOf(input) },
    requested_by: user,
    session,
    ...defined({ scope: seal.scope, caller, run: seal.run, intent: seal.intent }),
    created_at,
    ...(run_id !== undefined && { run_id }),
    host,
    plan_digest: seal.plan,
    plan,
    input,
    ...(changes.length > 0 && { changes }),
    ...(changes_left !== undefined && { changes_left }),
    warnings: [],
    result: null,
  };
}
