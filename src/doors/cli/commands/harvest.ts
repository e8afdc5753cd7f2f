import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { harvest } from '../../answers/harvest.js';
import { type Context, environmentOf, openRegistry } from '../context.js';
import { plainText } from '../plain-text.js';
import { renderHarvest } from '../render-harvest.js';

/** `ability harvest`: what was asked for and is not there, and scripts that may be worth an ability. Changes nothing. Source: R-000-90 to R-000-94. */
export async function run(context: Context): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const environment = await environmentOf(context, registry);
  const found = await harvest(registry, environment, context.env);
  for (const warning of found.warnings) context.terminal.note(plainText(warning));
  if (context.flags.json) context.terminal.printJson(found);
  else context.terminal.print(renderHarvest(found, context.terminal.style));
  return EXIT.ok;
}
