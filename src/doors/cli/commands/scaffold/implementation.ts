import { planImplementation } from '../../../../authoring/scaffold/plan-implementation.js';
import { checkNewImplementation } from '../../../../authoring/scaffold/scaffold.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { askText } from '../../input/ask.js';
import { readKind } from '../../input/kind-flags.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { finishScaffold } from './finish-scaffold.js';
import { scaffoldOrFromDefinition } from './from-definition.js';

/** `ability scaffold implementation ID`: an implementation and its place in the configuration, or `--from`. */
export function run(
  context: Context,
  [id = '']: [string?],
  flags: AuthoringFlags['implementation'],
): Promise<ExitCode> {
  const request = { kind: 'implementation', name: id, argument: 'ID', flags, companion: 'config' } as const;
  return scaffoldOrFromDefinition(context, request, async () => {
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
          summary: flags.summary,
        }),
    });
  });
}
