import { checkNewImplementation } from '../../../../authoring/scaffold/check-names.js';
import { planImplementation } from '../../../../authoring/scaffold/plan-implementation.js';
import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { askText } from '../../input/ask.js';
import { readKind } from '../../input/kind-flags.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { unlessCancelled } from '../writing/write-plan.js';
import { finishScaffold } from './finish-scaffold.js';
import { refuseLoneConfig, refuseNameless, refuseOtherFlags, scaffoldWhole, USUAL_FLAGS } from './whole-definition.js';

/** `ability scaffold implementation ID`: another implementation of an operation, and its place in the configuration; or as given. */
export function run(
  context: Context,
  [id = '']: [string?],
  flags: AuthoringFlags['implementation'],
): Promise<ExitCode> {
  if (flags.from !== undefined) {
    const { from, config } = flags;
    refuseOtherFlags(flags, [...USUAL_FLAGS, 'config']);
    return scaffoldWhole(context, { kind: 'implementation', from, name: id, ...(config !== undefined && { config }) });
  }
  refuseLoneConfig(flags);
  refuseNameless('implementation', id, 'ID');
  return unlessCancelled(context, async () => {
    checkNewImplementation(await openRegistry(context), id);
    const question = { flag: '--operation', message: 'Of which operation?' };
    const operation = await askText(context, flags.operation, question);
    const choice = await readKind(context, flags);
    return finishScaffold(context, {
      scopes: ({ operations }) => [operations.get(operation)?.value.scope.environments],
      plan: (site) =>
        planImplementation(site, {
          id,
          operation,
          choice,
          isDefault: flags.default ?? false,
          isAllowed: flags.allow ?? false,
          isForEnvironment: context.flags.env !== undefined,
          ...(flags.summary !== undefined && { summary: flags.summary }),
        }),
    });
  });
}
