import { drawAbility } from '../../../planning/graph/draw-ability.js';
import { findAbility } from '../../answers/find-ability.js';
import { describeProblem, typedBy } from '../output/describe-problem.js';
import { type Context, environmentOf, openRegistry, variablesOf } from '../program/context.js';

/** `ability graph ID`: the steps of an ability as a Mermaid flowchart. Reads files only. */
export async function run(context: Context, [id]: [string]): Promise<void> {
  const registry = await openRegistry(context);
  await findAbility(registry, id);
  const environment = await environmentOf(context, registry);
  const { describeGraph } = await import('../../../planning/graph/describe-graph.js');
  const { flags, terminal } = context;
  const { subject, problem } = describeGraph(
    registry,
    id,
    environment,
    flags.env !== undefined,
    await variablesOf(context, registry, environment),
  );
  const mermaid = drawAbility(subject);
  if (flags.json) {
    const { version, environment: drawnFor } = subject;
    terminal.print(JSON.stringify({ ability: id, version, environment: drawnFor, mermaid, problem }, null, 2));
    return;
  }
  terminal.print(mermaid);
  if (problem)
    terminal.note(
      `Drawn as it is defined; in ${environment} it cannot run:\n${describeProblem(typedBy(context, problem))}`,
    );
}
