import { resolve } from 'node:path';
import { SCOPE_FIELDS } from '../../../../authoring/choices.js';
import { planScripts } from '../../../../authoring/scaffold/plan-scripts.js';
import { readFields } from '../../../../authoring/scaffold/read-fields.js';
import type { ExitCode } from '../../../../contracts/states.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import type { Context } from '../../program/context.js';
import { unlessCancelled } from '../writing/write-plan.js';
import { finishScaffold } from './finish-scaffold.js';

/** `ability scaffold scripts FILES`: a contract for each existing script. */
export function run(context: Context, [files]: [string[]], flags: AuthoringFlags['scripts']): Promise<ExitCode> {
  const { prefix, args, effects } = flags;
  const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
  const paths = files.map((file) => resolve(context.cwd, file));
  return unlessCancelled(context, () =>
    finishScaffold(context, {
      scopes: () => [scope.environments],
      plan: (site) => planScripts(site, { paths, scope, prefix, args, effects }),
    }),
  );
}
