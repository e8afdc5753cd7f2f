import { resolve } from 'node:path';
import { Command } from '@commander-js/extra-typings';
import { HANDLERS, LANGUAGES, MATCH_FIELDS, PLAIN_BUILTINS, SCOPE_FIELDS } from '../../../../authoring/choices.js';
import { planHighLevel } from '../../../../authoring/scaffold/plan-high-level.js';
import { type HookChoice, planHook } from '../../../../authoring/scaffold/plan-hook.js';
import { planImplementation } from '../../../../authoring/scaffold/plan-implementation.js';
import { effectsOf } from '../../../../authoring/scaffold/plan-kind.js';
import { planLowLevel, planSchemas } from '../../../../authoring/scaffold/plan-low-level.js';
import { planScripts } from '../../../../authoring/scaffold/plan-scripts.js';
import { readFields, splitList } from '../../../../authoring/scaffold/read-fields.js';
import { checkNewAbility, checkNewImplementation, checkPlainName } from '../../../../authoring/scaffold/scaffold.js';
import type { ChoiceOf, KindChoice } from '../../../../authoring/scaffold/scaffolded.js';
import { EFFECTS } from '../../../../contracts/effects.js';
import { PHASES } from '../../../../contracts/hooks.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { usageError } from '../../../../contracts/problem.js';
import type { ExitCode } from '../../../../contracts/states.js';
import { abilityIds, loadedAbility } from '../../../../definitions/find-ability.js';
import type { WrittenKindName } from '../../../../kinds/kind.js';
import { WRITTEN_KINDS } from '../../../../kinds/kinds.js';
import { splitArguments } from '../../../../planning/scripts/resolve-arguments.js';
import { defined } from '../../../../text/defined.js';
import { askChoice, askSummary, askText, canAsk } from '../../input/ask.js';
import { refuseStray } from '../../input/flag-values.js';
import type { AuthoringFlags } from '../../program/authoring.js';
import { type Context, openRegistry } from '../../program/context.js';
import { FLAGS_OF_KINDS, type FlagsOfKind, type KindFlags } from '../../program/kind-flags.js';
import { unlessCancelled } from '../writing/write-plan.js';
import { finishScaffold } from './finish-scaffold.js';
import { scaffoldOrFromDefinition } from './from-definition.js';

/** `ability scaffold low-level KEY`: a contract, its implementation and a first case, or that of `--from`. */
export function lowLevel(
  context: Context,
  [key = '']: [string?],
  flags: AuthoringFlags['lowLevel'],
): Promise<ExitCode> {
  return scaffoldOrFromDefinition(context, 'low-level', key, flags, async () => {
    const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
    // Refuses an invalid name before any prompt.
    checkNewAbility(await openRegistry(context), key);
    const choice = await readKind(context, flags);
    const summary = await askSummary(context, flags.summary);
    const question = { flag: '--effects', message: 'What does a call change?', fallback: effectsOf(choice) };
    const effects = canAsk(context) ? await askChoice(context, flags.effects, EFFECTS, question) : flags.effects;
    return finishScaffold(context, {
      scopes: () => [scope.environments],
      plan: (site) => planLowLevel(site, { key, choice, scope, summary, effects }),
    });
  });
}

/** `ability scaffold scripts FILES`: a contract for each existing script. */
export function scripts(context: Context, [files]: [string[]], flags: AuthoringFlags['scripts']): Promise<ExitCode> {
  const { prefix, args, effects } = flags;
  const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
  const paths = files.map((file) => resolve(context.cwd, file));
  return unlessCancelled(context, () =>
    finishScaffold(context, {
      scopes: () => [scope.environments],
      plan: (site) => planScripts(site, { paths, scope, prefix, args, effects }),
    }),
  );
}

/** `ability scaffold high-level ID`: a workflow with calls and a case that mocks them, or that of `--from`. */
export function highLevel(
  context: Context,
  [id = '']: [string?],
  flags: AuthoringFlags['highLevel'],
): Promise<ExitCode> {
  return scaffoldOrFromDefinition(context, 'high-level', id, flags, async () => {
    const scope = readFields(flags.scope, '--scope', SCOPE_FIELDS);
    const registry = await openRegistry(context);
    checkNewAbility(registry, id);
    const known = abilityIds(registry).slice(0, 8).join(', ');
    const message = `What does it call, in order? (with commas; there are ${known || 'none yet'})`;
    const calls = splitList(await askText(context, flags.calls, { flag: '--calls', message }));
    if (calls.length === 0) {
      throw usageError('--calls names no ability', 'Pass --calls A,B; `ability list` shows what there is.');
    }
    const summary = await askSummary(context, flags.summary);
    return finishScaffold(context, {
      scopes: (now) => [scope.environments, ...calls.map((call) => loadedAbility(now, call)?.value.scope.environments)],
      plan: (site) => planHighLevel(site, { id, calls, scope, summary }),
    });
  });
}

/** `ability scaffold implementation ID`: an implementation and its place in the configuration, or `--from`. */
export function implementation(
  context: Context,
  [id = '']: [string?],
  flags: AuthoringFlags['implementation'],
): Promise<ExitCode> {
  return scaffoldOrFromDefinition(context, 'implementation', id, flags, async () => {
    checkNewImplementation(await openRegistry(context), id);
    const question = { flag: '--operation', message: 'Of which operation?' };
    const operation = await askText(context, flags.operation, question);
    const choice = await readKind(context, flags);
    const { summary, default: isDefault = false, allow: isAllowed = false } = flags;
    const isForEnvironment = context.flags.env !== undefined;
    return finishScaffold(context, {
      scopes: ({ operations }) => [operations.get(operation)?.value.scope.environments],
      plan: (site) =>
        planImplementation(site, { id, operation, choice, isDefault, isAllowed, isForEnvironment, summary }),
    });
  });
}

type HookFlags = AuthoringFlags['hook'];

/** A flag of another handler would be ignored, so it is refused. */
const BELONGS: Record<HookChoice['handler'], readonly (keyof HookFlags)[]> = {
  expression: ['denyIf', 'confirmIf', 'warnIf', 'reason'],
  script: ['language'],
  builtin: ['builtin'],
};

/** `ability scaffold hook ID`: a hook at the end of its phase's file, with its script, or that of `--from`. */
export function hook(context: Context, [id = '']: [string?], flags: HookFlags): Promise<ExitCode> {
  return scaffoldOrFromDefinition(context, 'hook', id, flags, async () => {
    const match = readFields(flags.match, '--match', MATCH_FIELDS);
    checkPlainName(id, 'id of a hook');
    await openRegistry(context);
    const question = { flag: '--phase', message: 'When does it fire?' };
    const phase = await askChoice<string>(context, flags.phase, PHASES, question);
    const choice = await readHandler(context, flags, phase);
    return finishScaffold(context, {
      scopes: () => [],
      plan: (site) => planHook(site, { id, phase, choice, match, summary: flags.summary }),
    });
  });
}

async function readHandler(context: Context, flags: HookFlags, phase: string): Promise<HookChoice> {
  const question = { flag: '--handler', message: 'How does it answer?' };
  const handler = await askChoice(context, flags.handler, HANDLERS, question);
  refuseStray('--handler', handler, BELONGS, flags);
  if (handler === 'script') return { handler, language: flags.language ?? 'node' };
  if (handler === 'builtin') {
    const which = { flag: '--builtin', message: 'Which one?' };
    return { handler, name: await askChoice(context, flags.builtin, PLAIN_BUILTINS, which) };
  }
  return { handler, ...(await readConditions(context, flags, phase)) };
}

/** Asks for the condition at a terminal; elsewhere a hook without one only warns until it has one. */
async function readConditions(context: Context, flags: HookFlags, phase: string) {
  const { denyIf, confirmIf, warnIf, reason } = flags;
  const given = defined({ deny_if: denyIf, confirm_if: confirmIf, warn_if: warnIf, reason });
  if ((denyIf ?? confirmIf ?? warnIf) !== undefined || !canAsk(context)) return given;
  const isOver = phase === 'PostAbilityCall' || phase === 'SessionStop';
  const verbs = isOver ? (['warn_if'] as const) : (['deny_if', 'confirm_if', 'warn_if'] as const);
  const what = { flag: '--deny-if', message: 'What does it do?' };
  const verb = await askChoice<'deny_if' | 'confirm_if' | 'warn_if'>(context, undefined, verbs, what);
  const message = 'When? (CEL over input, environment, ability, effects, tags, user)';
  return { ...given, [verb]: await askText(context, undefined, { flag: '--deny-if', message }) };
}

/** `ability scaffold schemas`: writes the JSON Schemas of the formats over those that are there. */
export function schemas(context: Context): Promise<ExitCode> {
  return unlessCancelled(context, () => finishScaffold(context, { scopes: () => [], plan: planSchemas }));
}

type Ask<K extends WrittenKindName> = (context: Context, flags: FlagsOfKind<K>) => Promise<ChoiceOf<K>>;

const QUESTIONS: { readonly [K in WrittenKindName]: Ask<K> } = { script: askScript, api: askRequest, mcp: askTool };

const questionsOf = <K extends WrittenKindName>(kind: K): Ask<K> => QUESTIONS[kind];

/** @throws Cancelled, AbilityError `usage.invalid`. */
async function readKind(context: Context, flags: KindFlags): Promise<KindChoice> {
  const kind = await askChoice(context, flags.kind, WRITTEN_KINDS, { flag: '--kind', message: 'What does it call?' });
  // A flag of another kind would be ignored, so it is refused.
  refuseStray('--kind', kind, flagNames(), flags);
  return questionsOf(kind)(context, flags);
}

function flagNames(): Record<string, (keyof KindFlags)[]> {
  return Object.fromEntries(
    Object.entries(FLAGS_OF_KINDS).map(([kind, declareFlags]) => {
      const { options } = declareFlags(new Command());
      return [kind, options.map((option) => option.attributeName() as keyof KindFlags)];
    }),
  );
}

async function askScript(context: Context, flags: FlagsOfKind<'script'>): Promise<ChoiceOf<'script'>> {
  const question = { flag: '--language', message: 'In which language?', fallback: 'node' as const };
  return { kind: 'script', language: await askChoice(context, flags.language, LANGUAGES, question) };
}

async function askRequest(context: Context, flags: FlagsOfKind<'api'>): Promise<ChoiceOf<'api'>> {
  const message = 'Where is the service? (https://..., or env:NAME of a variable that holds the address)';
  const endpoint = await askText(context, flags.endpoint, { flag: '--endpoint', message });
  return { kind: 'api', method: flags.method ?? 'GET', path: flags.path ?? '/', endpoint };
}

async function askTool(context: Context, flags: FlagsOfKind<'mcp'>): Promise<ChoiceOf<'mcp'>> {
  const question = { flag: '--server', message: 'Which MCP server? (its name here)' };
  const server = await askText(context, flags.server, question);
  const tool = await askText(context, flags.tool, { flag: '--tool', message: 'Which of its tools?' });
  const definition = definitionOf(flags);
  return { kind: 'mcp', server, tool, ...(definition && { definition }) };
}

function definitionOf({ command, url }: FlagsOfKind<'mcp'>): JsonObject | undefined {
  if (command !== undefined && url !== undefined) {
    throw usageError('An MCP server has either a --command or a --url', 'Leave out one of them.');
  }
  if (url !== undefined) return { url };
  if (command === undefined) return undefined;
  const [program, ...args] = splitArguments(command, { file: '--command' });
  if (program !== undefined) return { command: program, args };
  throw usageError(
    '--command names no program',
    'Pass the program with its arguments: --command "node servers/logs.mjs".',
  );
}
