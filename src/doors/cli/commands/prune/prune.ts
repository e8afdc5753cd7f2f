import { planDeprecation } from '../../../../authoring/harvest/plan-deprecation.js';
import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
import { AbilityError } from '../../../../contracts/problem.js';
import type { Registry } from '../../../../definitions/registry.js';
import { prune } from '../../../answers/prune.js';
import { readCaller } from '../../input/read-caller.js';
import { readDuration } from '../../input/read-duration.js';
import { plainText } from '../../output/plain-text.js';
import { renderPrune } from '../../output/render-prune.js';
import type { ChoosingFlags } from '../../program/choosing.js';
import { type Context, openLoader, openRegistry } from '../../program/context.js';
import { type Settled, unlessCancelled, writePlan } from '../writing/write-plan.js';

/**
 * `ability prune`: abilities that no one has called for so long, that say about the same, or that are deprecated, with what uses them. Only
 * `--deprecate` changes something, and nothing is removed. Source: R-000-94.
 */
export async function run(context: Context, _: [], flags: ChoosingFlags['prune']): Promise<ExitCode> {
  const unusedMs = readDuration('--unused', flags.unused);
  const registry = await openRegistry(context);
  const { terminal } = context;
  const { deprecate: id, replacedBy } = flags;
  if (id !== undefined) return unlessCancelled(context, () => deprecate(context, registry.root, id, replacedBy));
  if (replacedBy !== undefined) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: '--replaced-by says what takes the place of what --deprecate names',
      suggestion: 'Pass both: ability prune --deprecate ID --replaced-by ID.',
    });
  }
  const { listKnownTasks } = await import('./list-known-tasks.js');
  const known = await listKnownTasks(context, registry);
  const found = prune(registry, { unusedMs, tasks: known.tasks });
  found.warnings.unshift(...known.warnings);
  for (const warning of found.warnings) terminal.note(plainText(warning));
  if (context.flags.json) terminal.printJson(found);
  else terminal.print(renderPrune(found, flags.unused, terminal.style));
  return EXIT.ok;
}

async function deprecate(
  context: Context,
  root: string,
  id: string,
  replacedBy: string | undefined,
): Promise<ExitCode> {
  refuseAgent(context);
  const { terminal } = context;
  const loader = await openLoader(context);
  const { changed } = await writePlan(root, terminal, () => {
    // Read under the lock: another command may just have changed something.
    const file = planDeprecation(loader.load(), id, replacedBy);
    return { files: [file], settle: () => settled(loader.load(), id) };
  });
  const [path] = changed;
  const is = prune(await openRegistry(context), { unusedMs: 0 }).deprecated.find((one) => one.id === id);
  const users = is?.users ?? [];
  if (context.flags.json)
    terminal.printJson({ deprecated: id, replaced_by: is?.replaced_by ?? null, file: path, users });
  else {
    terminal.print(`${id} is deprecated now, in ${path}.`);
    if (users.length > 0) terminal.note(`Still used by ${users.join(', ')}, which go on as before.`);
    terminal.note('Next: ability docs, so that the pages say so.');
  }
  return EXIT.ok;
}

/**
 * What is given up is for people. Who typed the command is a claim, so that this keeps out those that are honest.
 *
 * @throws AbilityError `prune.by_agent`.
 */
function refuseAgent({ env }: Context): void {
  if (readCaller(env) !== 'agent') return;
  throw new AbilityError({
    code: 'prune.by_agent',
    message: 'This command was typed by an agent, and agents give up no ability; nothing was written',
    suggestion: 'Ask a person to type it in a terminal of their own.',
  });
}

/** What was written has to load, and say what it was written for; else it is taken back. */
function settled(registry: Registry, id: string): Settled {
  const loaded = registry.workflows.get(id) ?? registry.operations.get(id) ?? registry.agents.get(id);
  if (loaded?.value.status === 'deprecated') return { files: [], notes: [] };
  const [problem] = registry.problems;
  throw new AbilityError(problem ?? { code: 'definition.invalid', message: `${id} could not be marked in its file` });
}
