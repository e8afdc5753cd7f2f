import { planDeprecation } from '../../../authoring/harvest/plan-deprecation.js';
import type { Connection, ListedTask } from '../../../client/index.js';
import { AbilityError, reasonOf, usageError } from '../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../contracts/states.js';
import { loadedAbility } from '../../../definitions/find-ability.js';
import type { Registry } from '../../../definitions/registry.js';
import { type Prune, prune } from '../../../operations/prune.js';
import { refuseAgents } from '../../../operations/read-caller.js';
import { pathsOf } from '../../../server/project-paths.js';
import { readLivingRuntime } from '../../../server/runtime/runtime-file.js';
import { readDuration } from '../input/flag-values.js';
import { plainText } from '../output/plain-text.js';
import type { Style } from '../output/terminal/terminal.js';
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
  const warnings: string[] = [];
  const found = prune(registry, { unusedMs, tasks: await listKnownTasks(context, registry, warnings) });
  found.warnings.unshift(...warnings);
  for (const warning of found.warnings) terminal.note(plainText(warning));
  printAnswer(context, found, () => renderPrune(found, flags.unused, terminal.style));
  return EXIT.ok;
}

/** For people. @throws AbilityError `prune.by_agent`. */
async function deprecate(
  context: Context,
  root: string,
  id: string,
  replacedBy: string | undefined,
): Promise<ExitCode> {
  const message = 'This command was typed by an agent, and agents may not deprecate an ability; nothing was written';
  refuseAgents(context, { code: 'prune.by_agent', message });
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
  const answer = { deprecated: id, replaced_by: is?.replaced_by ?? null, file: path, users };
  printAnswer(context, answer, () => `${id} is deprecated now, in ${path}.`);
  if (context.flags.json) return EXIT.ok;
  if (users.length > 0) terminal.note(`Still used by ${users.join(', ')}, which go on as before.`);
  terminal.note('Next: ability docs, which updates the pages.');
  return EXIT.ok;
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

/**
 * Lists tasks if a Temporal server is named or the runtime is up; starts nothing. Never throws, but adds to `warnings`.
 * @returns undefined if Temporal was not queried, or did not answer.
 */
async function listKnownTasks(
  context: Context,
  registry: Registry,
  warnings: string[],
): Promise<ListedTask[] | undefined> {
  if (!isServed(context, registry)) return undefined;
  const patience = new AbortController();
  const timer = setTimeout(() => patience.abort(new Error('it does not answer')), PATIENCE_MS);
  try {
    const { listTasks } = await import('../../../client/index.js');
    const list = (connection: Connection) => listTasks(connection, { called: true, limit: MAX_TASKS });
    const tasks = await withSession(context, registry, list, patience.signal);
    if (tasks.length >= MAX_TASKS) warnings.push(`Only the newest ${MAX_TASKS} tasks of Temporal were looked at.`);
    return tasks;
  } catch (error) {
    warnings.push(`The tasks in Temporal could not be listed, so they are not counted: ${reasonOf(error)}`);
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function isServed({ flags, env }: Context, { root }: Registry): boolean {
  const isNamed = [flags.address, flags.profile, env.TEMPORAL_ADDRESS, env.TEMPORAL_PROFILE].some(Boolean);
  return isNamed || readLivingRuntime(pathsOf(root)) !== undefined;
}

/** @param since the value of `--unused`, as typed. */
export function renderPrune(
  { counted_since, counted_in, unused, alike, deprecated }: Prune,
  since: string,
  style: Style,
): string {
  const uses = (users: readonly string[]): string => (users.length > 0 ? `; used by ${users.join(', ')}` : '');
  const idle = unused.map(({ id, used, calls, last_used, users }) => {
    const never = users.length > 0 ? 'no call known' : 'never called';
    const when = used === 'never' ? never : `${calls} calls, last ${last_used?.slice(0, 10)}`;
    return `  ${id}  ${when}${uses(users)}`;
  });
  const gone = deprecated.map(({ id, replaced_by, users }) => {
    return `  ${id}${replaced_by === null ? '' : `, replaced by ${replaced_by}`}${uses(users)}`;
  });
  // Calls before that time are unknown.
  const counted =
    counted_since === null ? '' : `, as counted since ${counted_since.slice(0, 10)}${sourcesOf(counted_in)}`;
  const uncounted =
    '  no call is known here: there are no records of tasks, and the built-in hook `usage` has counted none';
  return [
    style('bold', `Not called for ${since}${counted}`),
    ...(counted_since === null ? [uncounted] : orNone(idle)),
    style('bold', 'Very similar'),
    ...orNone(alike.map(({ ids, likeness }) => `  ${ids.join(' and ')}  ${likeness.toFixed(2)}`)),
    style('bold', 'Deprecated'),
    ...orNone(gone),
  ].join('\n');
}

function sourcesOf({ usage, records, tasks }: Prune['counted_in']): string {
  const sources = [
    ...(usage ? ['the hook `usage`'] : []),
    ...(records > 0 ? [`${records} records of tasks`] : []),
    ...(tasks === null ? [] : [`${tasks} tasks in Temporal`]),
  ];
  return ` by ${sources.join(', ')}`;
}

function orNone(lines: readonly string[]): readonly string[] {
  return lines.length > 0 ? lines : ['  none'];
}
