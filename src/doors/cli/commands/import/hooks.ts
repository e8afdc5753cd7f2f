import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve, sep } from 'node:path';
import type { HookDraft, Offence } from '../../../../authoring/import/hooks/draft-hooks.js';
import type { Shown } from '../../../../authoring/import/hooks/map-abilities.js';
import type { HookSite, LostHooks, WrittenDraft } from '../../../../authoring/import/hooks/plan-hook-files.js';
import type { NotTaken } from '../../../../authoring/import/hooks/read-settings.js';
import { siteFolders } from '../../../../authoring/scaffold/scaffold.js';
import type { JsonObject } from '../../../../contracts/json.js';
import { AbilityError, reasonOf, usageError } from '../../../../contracts/problem.js';
import type { Registry } from '../../../../definitions/registry.js';
import { isInside } from '../../../../disk/paths.js';
import { refuseAgents } from '../../../../operations/read-caller.js';
import { satisfies } from '../../../../planning/input/schemas.js';
import { asTyped } from '../../../../shown/typed-command.js';
import { unlessRefused } from '../../../../text/attempt.js';
import { defined } from '../../../../text/defined.js';
import { type DeniedCall, type HookImport, hooksAsJson, renderHookImport } from '../../output/render-hook-import.js';
import type { ImportFlags } from '../../program/authoring.js';
import { type Context, environmentOf, printAnswer } from '../../program/context.js';
import { type ImportSite, runImporter } from './import-into-project.js';

/** The maximum number of denied calls to show. */
const MAX_CALLS = 3;

type Flags = ImportFlags['hooks'];
type Found = Omit<HookImport, 'denied'> & { abilities: readonly Shown[] };

/**
 * `ability import hooks FILE`: guards of Claude Code or Codex become guards of this project. Source:
 * docs/hooks.md#importing-them.
 */
export const run = runImporter<Flags, Found>({ read: readGuards, write: writeGuards });

async function readGuards({ context, registry, signal }: ImportSite, file: string, flags: Flags): Promise<Found> {
  const environment = await environmentOf(context, registry);
  const { draftHooks } = await import('../../../../authoring/import/hooks/draft-hooks.js');
  const { readSettings } = await import('../../../../authoring/import/hooks/read-settings.js');
  const { planTools } = await import('../../../../authoring/import/hooks/plan-tools.js');
  const { hookFileOf, lostHooks, planHookFiles, planServiceFiles } = await import(
    '../../../../authoring/import/hooks/plan-hook-files.js'
  );
  const { root } = registry;
  const source = insideOf(root, resolve(context.cwd, file));
  const settings = readSettings(textOf(context.cwd, file), source);
  settings.notTaken.push(...hooksInToml(root, source));
  const name = nameOf(source, flags.name);
  const site: HookSite = {
    root,
    registry: siteFolders(root).registry,
    name,
    source,
    overwrite: flags.overwrite === true,
  };
  const tools = flags.tools ? planTools(root, site.registry, [...registry.operations.keys()]) : undefined;
  const abilities = [...shownAbilities(registry), ...(tools?.abilities ?? [])];
  const format = isOfCodex(source) ? ('codex' as const) : ('claude-code' as const);
  const place = { root, format, pluginRoot: pluginRootOf(source), mcpServers: new Set(registry.mcpServers.keys()) };
  const taken = [...registry.hooks].flatMap(([phase, hooks]) =>
    hooks.filter((hook) => hook.file !== hookFileOf(site, phase)).map(({ value }) => value.id),
  );
  const { drafts, notTaken } = draftHooks(settings, abilities, place, taken);
  const hooks: WrittenDraft[] = [];
  for (const draft of drafts) {
    const answers = flags.run ? await answersOf(draft, context.env, registry, environment, signal) : NOTHING;
    hooks.push({ draft, definition: definitionOf(draft, answers) });
  }
  const files = [...(tools?.files ?? []), ...planServiceFiles(site, drafts), ...planHookFiles(site, hooks)];
  const lost = lostHooks(registry, site, hooks);
  return { source, isDryRun: flags.dryRun === true, isRun: flags.run, hooks, notTaken, files, lost, abilities };
}

async function writeGuards({ context, registry, signal }: ImportSite, { abilities, ...found }: Found): Promise<void> {
  const { root } = registry;
  const { hooks, files, lost } = found;
  const { terminal } = context;
  if (!found.isDryRun && files.length > 0) {
    refuseLoss(context, lost);
    const { whileAlone } = await import('../writing/while-alone.js');
    const { writeTogether } = await import('../../../../authoring/write-together.js');
    await whileAlone(root, { note: terminal.note, signal }, async () => writeTogether(root, files));
  }
  const done = { ...found, ...defined({ denied: callToShow(hooks, abilities) }) };
  printAnswer(context, hooksAsJson(done), () => asTyped(renderHookImport(done, terminal.style), context));
}

/**
 * Removing or changing guards is for people. The caller is a claim; `ability guard` refuses the command in an
 * agent's shell. @throws AbilityError `import.by_agent`. Source: R-002-62.
 */
function refuseLoss(context: Context, { removed, changed }: LostHooks): void {
  const lost = [...removed, ...changed];
  if (lost.length === 0) return;
  refuseAgents(context, {
    code: 'import.by_agent',
    message: `This import would remove or change hooks that are there (${lost.join(', ')}), and it was typed by an agent; nothing was written`,
    suggestion: 'Ask a person to type it, or import under another --name, which adds hooks and takes none away.',
  });
}

/** Adds what the guard was seen to deny; if that is nothing, its silence is a deny. */
function definitionOf(draft: HookDraft, { denied, approved: [first] }: Answers): JsonObject {
  if (draft.phase !== 'PreAbilityCall') return draft.definition;
  if (first) draft.notes.push(`wants an approval for ${first.ability} ${JSON.stringify(first.input)}`);
  if (denied.length === 0) return { ...draft.definition, abstain: 'deny' };
  return { ...draft.definition, must_deny: denied.map(({ ability, input }) => ({ ability, input })) };
}

interface Answers {
  denied: Offence[];
  approved: Offence[];
}

const NOTHING: Answers = { denied: [], approved: [] };

async function answersOf(
  draft: HookDraft,
  env: NodeJS.ProcessEnv,
  registry: Registry,
  environment: string,
  signal: AbortSignal,
): Promise<Answers> {
  if (draft.phase !== 'PreAbilityCall' || draft.asks) return NOTHING;
  const { offencesFor } = await import('../../../../authoring/import/hooks/draft-hooks.js');
  const { usualOffences } = await import('../../../../authoring/import/hooks/usual-offences.js');
  const { hook: format } = await import('../../../../definitions/formats/hooks.js');
  const { EnvironmentVariables } = await import('../../../../planning/secrets/secret-source.js');
  const { handlerOf } = await import('../../../../planning/hooks/resolve-handler.js');
  const { hookEnvironment } = await import('../../../../planning/hooks/example-event.js');
  const { isShown } = await import('../../../../definitions/tool-mapping/map-tool.js');
  const { findDenied } = await import('../../../../worker/prove-guards.js');
  const { root } = registry;
  const { handler, ...value } = format.parse(draft.definition);
  if (!handler) return NOTHING;
  const loaded = { value: { ...value, handler }, file: draft.at, locate: () => ({ file: draft.at }) };
  const planned = handlerOf(loaded, 'PreAbilityCall', registry, new EnvironmentVariables(root, environment, env));
  if (planned.kind !== 'script' || !planned.foreign) return NOTHING;
  const filterOf = (tool: string) => draft.mapped.find((mapped) => mapped.tool === tool)?.entry ?? {};
  const calls = offencesFor(draft, usualOffences).filter((call) => isShown(filterOf(call.tool_name), call));
  const guard = { ...planned, foreign: planned.foreign };
  const place = { root, env, environment: hookEnvironment(registry, environment) };
  const { denied, asked } = await findDenied(place, draft.id, guard, calls, MAX_CALLS, signal);
  const at = (places: number[]): Offence[] => places.flatMap((index) => calls[index] ?? []);
  return { denied: at(denied), approved: at(asked) };
}

function shownAbilities({ operations }: Registry): Shown[] {
  return [...operations].map(([key, { value }]) => {
    const { effects, input_schema, implementation: body } = value;
    const { server, tool } = (body?.kind === 'mcp' ? body.mcp : undefined) ?? {};
    const mcp = server !== undefined && tool !== undefined ? { mcp: { server, tool } } : {};
    return { key, effects, input_schema, ...mcp };
  });
}

function isOfCodex(source: string): boolean {
  return basename(dirname(source)) === '.codex';
}

/** Codex also reads hooks from `config.toml`, which the import would miss. */
function hooksInToml(root: string, source: string): NotTaken[] {
  const at = `${dirname(source)}/config.toml`;
  const file = resolve(root, at);
  if (!isOfCodex(source) || !existsSync(file)) return [];
  const why = 'it may hold hooks in TOML, which is not read; write them to .codex/hooks.json and import that';
  return MAY_HOLD_HOOKS.test(readFileSync(file, 'utf8')) ? [{ at, why }] : [];
}

/** Matches a table or key named `hooks`, also quoted or after another key. */
const MAY_HOLD_HOOKS = /^[^#\n]*\bhooks\b["']?\s*[\].=]/m;

function textOf(cwd: string, file: string): string {
  if (/\.toml$/i.test(file)) {
    throw new AbilityError({
      code: 'import.unreadable',
      message: `${file} is TOML, which is not read`,
      suggestion: 'Write its `[hooks]` as JSON to .codex/hooks.json, which Codex reads as well, and import that.',
    });
  }
  try {
    return readFileSync(resolve(cwd, file), 'utf8');
  } catch (error) {
    const message = `${file} cannot be read: ${reasonOf(error)}`;
    const suggestion = 'Name a .claude/settings.json, a .codex/hooks.json, or the hooks/hooks.json of a plugin.';
    throw new AbilityError({ code: 'import.unreadable', message, suggestion }, { cause: error });
  }
}

/** The path from the project root: scripts of other folders are not pinned. */
function insideOf(root: string, file: string): string {
  const path = relative(root, file).split(sep).join('/');
  if (!path.startsWith('../') && isInside(root, file)) return path;
  throw usageError(`${file} lies outside the project`, 'Copy the settings and their scripts into the project.');
}

/** The plugin folder of `<plugin>/hooks/hooks.json`. */
function pluginRootOf(source: string): string | undefined {
  return /(^|\/)hooks\/hooks\.json$/.test(source) ? dirname(dirname(source)) : undefined;
}

/** Such as `claude` for `.claude/settings.json`, or the plugin's name for its `hooks/hooks.json`. */
function nameOf(source: string, chosen: string | undefined): string {
  const folder = basename(pluginRootOf(source) ?? dirname(source)).replace(/^\.+/, '');
  const name = chosen ?? (folder === '' ? basename(source).replace(/\..*$/, '') : folder);
  if (/^[A-Za-z0-9][\w.-]*$/.test(name)) return name;
  throw usageError(
    `${name} cannot be the name of a folder of hooks`,
    'Pass --name with letters, digits, dots, dashes and _.',
  );
}

/** The first denied call that its ability accepts: a run with invalid input ends before any guard. */
export function callToShow(hooks: readonly WrittenDraft[], abilities: readonly Shown[]): DeniedCall | undefined {
  const denied = hooks.flatMap(({ definition }) => (definition.must_deny as DeniedCall[] | undefined) ?? []);
  const takes = (schema: JsonObject, input: JsonObject): boolean =>
    unlessRefused(
      () => satisfies(schema, input),
      // Lint reports the broken schema.
      () => false,
    );
  return denied.find(({ ability, input }) =>
    abilities.some(({ key, input_schema }) => key === ability && takes(input_schema, input)),
  );
}
