import { planDeprecation } from '../../../authoring/harvest/plan-deprecation.js';
import type { ListedTask } from '../../../client/index.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { loadedAbility } from '../../../definitions/find-ability.js';
import type { Registry } from '../../../definitions/registry.js';
import { pathsOf } from '../../../server/project-paths.js';
import { readLivingRuntime } from '../../../server/runtime/runtime-file.js';
import { prune } from '../../answers/prune.js';
import { readDuration } from '../input/flag-values.js';
import { readCaller } from '../input/read-caller.js';
import { plainText } from '../output/plain-text.js';
import { renderPrune } from '../output/render-prune.js';
import type { ChoosingFlags } from '../program/choosing.js';
import { type Context, openLoader, openRegistry, printAnswer, withSession } from '../program/context.js';
import { type Settled, unlessCancelled, writePlan } from './writing/write-plan.js';

/** `ability prune`: only `--deprecate` writes anything, and nothing is removed. Source: R-000-94. */
export async function run(context: Context, _: [], flags: ChoosingFlags['prune']): Promise<ExitCode> {
  const unusedMs = readDuration('--unused', flags.unused);
  const registry = await openRegistry(context);
  const { terminal } = context;
  const { deprecate: id, replacedBy } = flags;
  if (id !== undefined) return unlessCancelled(context, () => deprecate(context, registry.root, id, replacedBy));
  if (replacedBy !== undefined) {
    throw usageError(
      '--replaced-by names the replacement of the ability that --deprecate names',
      'Pass both: ability prune --deprecate ID --replaced-by ID.',
    );
  }
  const known = await listKnownTasks(context, registry);
  const found = prune(registry, { unusedMs, tasks: known.tasks });
  found.warnings.unshift(...known.warnings);
  for (const warning of found.warnings) terminal.note(plainText(warning));
  printAnswer(context, found, () => renderPrune(found, flags.unused, terminal.style));
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
    terminal.note('Next: ability docs, which updates the pages.');
  }
  return EXIT.ok;
}

/** Deprecating is for people; stops only honest agents. @throws AbilityError `prune.by_agent`. */
function refuseAgent({ env }: Context): void {
  if (readCaller(env) !== 'agent') return;
  throw new AbilityError({
    code: 'prune.by_agent',
    message: 'This command was typed by an agent, and agents may not deprecate an ability; nothing was written',
    suggestion: 'Ask a person to type it in a terminal of their own.',
  });
}

/** @throws AbilityError, which undoes the change, if the file does not load or is not marked deprecated. */
function settled(registry: Registry, id: string): Settled {
  const loaded = loadedAbility(registry, id);
  if (loaded?.value.status === 'deprecated') return { files: [], notes: [] };
  const [problem] = registry.problems;
  throw new AbilityError(
    problem ?? { code: 'definition.invalid', message: `${id} could not be marked as deprecated in its file` },
  );
}

/** The maximum number of tasks to list, newest first. */
const MAX_TASKS = 5000;
const PATIENCE_MS = 5000;

interface KnownTasks {
  /** Undefined: Temporal was not queried, or did not answer. */
  tasks: ListedTask[] | undefined;
  warnings: string[];
}

/** Lists tasks if a Temporal server is named or the runtime is up; starts nothing. Never throws. */
async function listKnownTasks(context: Context, registry: Registry): Promise<KnownTasks> {
  if (!isServed(context, registry)) return { tasks: undefined, warnings: [] };
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('it does not answer')), PATIENCE_MS);
  try {
    const { listTasks } = await import('../../../client/index.js');
    const tasks = await withSession(
      context,
      registry,
      (connection) => listTasks(connection, { called: true, limit: MAX_TASKS }),
      patience.signal,
    );
    const warnings = tasks.length < MAX_TASKS ? [] : [`Only the newest ${MAX_TASKS} tasks of Temporal were looked at.`];
    return { tasks, warnings };
  } catch (error) {
    return {
      tasks: undefined,
      warnings: [`The tasks in Temporal could not be listed, so they are not counted: ${reasonOf(error)}`],
    };
  } finally {
    clearTimeout(timer);
  }
}

function isServed({ flags, env, within }: Context, { root }: Registry): boolean {
  if (within?.loader.root === root) return true;
  const isNamed = [flags.address, flags.profile, env.TEMPORAL_ADDRESS, env.TEMPORAL_PROFILE].some(Boolean);
  return isNamed || readLivingRuntime(pathsOf(root)) !== undefined;
}
