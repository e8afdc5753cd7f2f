import { SCOPE_FIELDS } from '../../../../authoring/choices.js';
import { checkNewAbility } from '../../../../authoring/scaffold/check-names.js';
import { effectsOf } from '../../../../authoring/scaffold/plan-kind.js';
import { planLowLevel } from '../../../../authoring/scaffold/plan-low-level.js';
import { readFields } from '../../../../authoring/scaffold/read-fields.js';
import { EFFECTS } from '../../../../contracts/effects.js';
import type { ExitCode } from '../../../../contracts/exit-codes.js';
import { askChoice, askText, canAsk } from '../../input/ask.js';
import { readKind } from '../../input/kind-flags.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { unlessCancelled } from '../writing/write-plan.js';
import { finishScaffold } from './finish-scaffold.js';
import { refuseLoneConfig, refuseNameless, refuseOtherFlags, scaffoldWhole, USUAL_FLAGS } from './whole-definition.js';

/** `ability scaffold low-level KEY`: the contract of an operation, its implementation and a first case; or all as given. */
export function run(context: Context, [key = '']: [string?], flags: AuthoringFlags['lowLevel']): Promise<ExitCode> {
  if (flags.from !== undefined) {
    const { from, config } = flags;
    refuseOtherFlags(flags, [...USUAL_FLAGS, 'config']);
    return scaffoldWhole(context, { kind: 'low-level', from, name: key, ...(config !== undefined && { config }) });
  }
  refuseLoneConfig(flags);
  refuseNameless('low-level', key, 'KEY');
  return unlessCancelled(context, async () => {
    const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
    // A name that will not do is told before anything is asked.
    checkNewAbility(await openRegistry(context), key);
    const choice = await readKind(context, flags);
    const asks = canAsk(context);
    const summary = asks
      ? await askText(context, flags.summary, { flag: '--summary', message: 'What is it for, in one sentence?' })
      : flags.summary;
    const question = { flag: '--effects', message: 'What does a call change?', fallback: effectsOf(choice) };
    const effects = asks ? await askChoice(context, flags.effects, EFFECTS, question) : flags.effects;
    return finishScaffold(context, {
      scopes: () => [scope.environments],
      plan: (site) =>
        planLowLevel(site, {
          key,
          choice,
          scope,
          ...(summary !== undefined && { summary }),
          ...(effects && { effects }),
        }),
    });
  });
}
