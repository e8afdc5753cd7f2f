import { SCOPE_FIELDS } from '../../../../authoring/choices.js';
import { effectsOf } from '../../../../authoring/scaffold/plan-kind.js';
import { planLowLevel } from '../../../../authoring/scaffold/plan-low-level.js';
import { readFields } from '../../../../authoring/scaffold/read-fields.js';
import { checkNewAbility } from '../../../../authoring/scaffold/scaffold.js';
import { EFFECTS } from '../../../../contracts/effects.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { askChoice, askSummary, canAsk } from '../../input/ask.js';
import { readKind } from '../../input/kind-flags.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { finishScaffold } from './finish-scaffold.js';
import { scaffoldOrFromDefinition } from './from-definition.js';

/** `ability scaffold low-level KEY`: a contract, its implementation and a first case, or that of `--from`. */
export function run(context: Context, [key = '']: [string?], flags: AuthoringFlags['lowLevel']): Promise<ExitCode> {
  const request = { kind: 'low-level', name: key, argument: 'KEY', flags, companion: 'config' } as const;
  return scaffoldOrFromDefinition(context, request, async () => {
    const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
    // Refuses an invalid name before any prompt.
    checkNewAbility(await openRegistry(context), key);
    const choice = await readKind(context, flags);
    const summary = await askSummary(context, flags.summary);
    const question = { flag: '--effects', message: 'What does a call change?', fallback: effectsOf(choice) };
    const effects = canAsk(context) ? await askChoice(context, flags.effects, EFFECTS, question) : flags.effects;
    return finishScaffold(context, {
      scopes: () => [scope.environments],
      plan: (site) =>
        planLowLevel(site, {
          key,
          choice,
          scope,
          summary,
          effects,
        }),
    });
  });
}
