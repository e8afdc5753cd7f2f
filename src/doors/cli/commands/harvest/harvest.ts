import { usageError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import { harvest } from '../../../answers/harvest.js';
import { plainText } from '../../output/plain-text.js';
import { renderHarvest } from '../../output/render-harvest.js';
import { asTyped } from '../../output/typed-command.js';
import type { ChoosingFlags } from '../../program/choosing.js';
import { type Context, environmentOf, openLoader, printAnswer } from '../../program/context.js';
import { unlessCancelled } from '../writing/write-plan.js';

/**
 * `ability harvest`: missing abilities, scripts that may deserve one, and calls that may deserve a workflow. Only
 * `--write` writes definitions, into a folder for review. Source: R-000-90 to R-000-94.
 */
export async function run(
  context: Context,
  _: [],
  { write, proposal: ids }: ChoosingFlags['harvest'],
): Promise<ExitCode> {
  if (write === undefined && ids.length > 0) {
    throw usageError(
      '--proposal selects what --write writes',
      'Pass both: ability harvest --write FOLDER --proposal ID.',
    );
  }
  const loader = await openLoader(context);
  const registry = loader.load();
  const environment = await environmentOf(context, registry);
  const found = await harvest(registry, environment, context.env);
  for (const warning of found.warnings) context.terminal.note(plainText(warning));
  if (write !== undefined) {
    const { writeProposals } = await import('./write-proposals.js');
    return unlessCancelled(context, () =>
      writeProposals(context, { loader, environment, folder: write, flows: found.flows, ids }),
    );
  }
  printAnswer(context, found, () => asTyped(renderHarvest(found, context.terminal.style), context));
  return EXIT.ok;
}
