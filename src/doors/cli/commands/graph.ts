import { defined } from '../../../text/defined.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { type Context, environmentGiven, printAnswer } from '../program/context.js';
import { withDefinitions } from '../program/project-client.js';

/** `ability graph ID`: the steps of an ability as a Mermaid flowchart. Reads files only, or asks a door. */
export async function run(context: Context, [id]: [string]): Promise<void> {
  const { flags, terminal, door } = context;
  // The variable stands for the default of the project, which a drawing of an ability that cannot run there may ignore.
  const wanted = door ? environmentGiven(context) : flags.env;
  const drawn = await withDefinitions(context, (project) =>
    project.call('drawAbility', { id, ...defined({ environment: wanted }) }),
  );
  const { mermaid, problem, tried_in: environment } = drawn;
  printAnswer(context, drawn, () => mermaid);
  if (!problem || flags.json) return;
  const why = describeProblem(typedBy(context, problem));
  terminal.note(`Drawn as it is defined; in ${environment} it cannot run:\n${why}`);
}
