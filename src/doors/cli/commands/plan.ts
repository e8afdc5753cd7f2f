import type { PlanPreview } from '../../../contracts/preview.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { planAnswer } from '../../../operations/plan-ability.js';
import { currentUser, readCaller } from '../../../operations/read-caller.js';
import { callerToSeal } from '../../../rules/tasks/persons.js';
import { defined } from '../../../text/defined.js';
import { parseInput } from '../input/parse-input.js';
import { noteWarnings } from '../output/describe-problem.js';
import { renderPreview } from '../output/preview/render-preview.js';
import { type Context, environmentGiven, openAbility, printAnswer } from '../program/context.js';
import type { DefinitionFlags } from '../program/definitions.js';
import { withProject } from '../program/project-client.js';
import { createOrReport, schemaFor } from './run.js';

/** `ability plan ID`: all that would happen with an input. Reads files only; exits as task creation would. */
export async function run(context: Context, [ability]: [string], flags: DefinitionFlags['plan']): Promise<ExitCode> {
  if (context.door) return planThere(context, ability, flags);
  const { registry, definition, environment } = await openAbility(context, ability);
  const input = parseInput(flags, definition.input_schema, context);
  const { previewPlan } = await import('../../../planning/preview/preview-plan.js');
  const session = context.env.ABILITY_SESSION || null;
  const caller = callerToSeal({ session, caller: readCaller(context.env) });
  const user = { ...currentUser(context.env), ...(caller && { caller }) };
  const planned = await createOrReport(
    context,
    ability,
    async () => previewPlan(registry, { ability, environment, input, user, env: context.env }),
    environment,
  );
  return typeof planned === 'number' ? planned : report(context, planned);
}

/** The same through a door, with its files and credentials. */
function planThere(context: Context, ability: string, flags: DefinitionFlags['plan']): Promise<ExitCode> {
  return withProject(context, async (project) => {
    const input = parseInput(flags, await schemaFor(project, ability, environmentGiven(context), flags.set), context);
    const wanted = { id: ability, input, ...defined({ environment: environmentGiven(context) }) };
    const planned = await createOrReport(context, ability, () => project.call('planAbility', wanted));
    return typeof planned === 'number' ? planned : report(context, planned);
  });
}

function report(context: Context, planned: PlanPreview): ExitCode {
  const { style } = context.terminal;
  printAnswer(context, planAnswer(planned), () => renderPreview(planned, style, context).join('\n'));
  if (!context.flags.json) noteWarnings(context, planned);
  return planned.problems.length > 0 ? EXIT.unavailable : EXIT.ok;
}
