import { planSchemas } from '../../../../authoring/scaffold/plan-low-level.js';
import type { ExitCode } from '../../../../contracts/states.js';
import type { Context } from '../../program/context.js';
import { unlessCancelled } from '../writing/write-plan.js';
import { finishScaffold } from './finish-scaffold.js';

export function run(context: Context): Promise<ExitCode> {
  return unlessCancelled(context, () => finishScaffold(context, { scopes: () => [], plan: planSchemas }));
}
