import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { callerToSeal } from '../../../rules/tasks/caller-of.js';
import { findAbility } from '../../answers/find-ability.js';
import { planAnswer } from '../../answers/plan-answer.js';
import { parseInput } from '../input/parse-input.js';
import { readCaller } from '../input/read-caller.js';
import { renderPreview } from '../output/preview/render-preview.js';
import { type Context, currentUser, environmentOf, openRegistry } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { createOrReport, noteWarnings } from './run.js';

/** `ability plan ID`: all that would happen with an input. Reads files only; exits as task creation would. */
export async function run(context: Context, [ability]: [string], flags: DefinitionFlags['plan']): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const definition = await findAbility(registry, ability);
  const environment = await environmentOf(context, registry);
  const input = parseInput(flags, definition.input_schema, context);
  const { previewPlan } = await import('../../../planning/preview/preview-plan.js');
  const session = context.env.ABILITY_SESSION || null;
  const caller = callerToSeal({ session, caller: readCaller(context.env) });
  const user = { ...currentUser(context.env), ...(caller && { caller }) };
  const planned = await createOrReport(context, { ability, environment }, async () =>
    previewPlan(registry, { ability, environment, input, user, env: context.env }),
  );
  if (typeof planned === 'number') return planned;
  const { terminal } = context;
  const [problem] = planned.problems;
  if (context.flags.json) {
    terminal.printJson(planAnswer(planned));
  } else {
    terminal.print(renderPreview(planned, terminal.style, context).join('\n'));
    noteWarnings(context, planned);
  }
  return problem ? EXIT.unavailable : EXIT.ok;
}
