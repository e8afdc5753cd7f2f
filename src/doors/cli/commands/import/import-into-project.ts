import type { EffectChoice } from '../../../../authoring/import/effect-choices.js';
import type { Imported } from '../../../../authoring/import/imported.js';
import type { ImportOptions, PlannedImport } from '../../../../authoring/import/planned-import.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import type { Registry } from '../../../../definitions/registry.js';
import { readDuration } from '../../input/flag-values.js';
import type { ImportFlags } from '../../program/authoring.js';
import { type Context, openLoader, printAnswer } from '../../program/context.js';
import { unlessInterrupted } from '../following/interruption.js';
import type { Waiting } from '../writing/while-alone.js';

type CommonFlags = Pick<ImportFlags['mcp'], 'select' | 'prefix' | 'dryRun' | 'overwrite' | 'timeout'> &
  Partial<Pick<ImportFlags['openapi'], 'effectsFor'>>;

const MAX_MS = 24 * 60 * 60 * 1000;

/**
 * Milliseconds that another system may take to answer. @throws AbilityError `usage.invalid` for an invalid duration.
 */
export function timeoutOf({ timeout }: CommonFlags): number {
  return Math.min(readDuration('--timeout', timeout), MAX_MS);
}

export interface ImportSource extends Pick<ImportOptions, 'kind' | 'name' | 'location' | 'command'> {
  /** @param prefix what operation keys begin with, without the dot. */
  operations(prefix: string): Promise<Imported>;
}

/**
 * Waits while another command writes into this project; others may write while the source is read. Ctrl-C
 * ends the waiting. @throws Cancelled then; AbilityError of reading the source, `import.*`, `usage.invalid`.
 */
export async function importIntoProject(
  { context, loader, signal }: ImportSite,
  source: ImportSource,
  flags: CommonFlags,
): Promise<void> {
  const { root } = loader;
  const { readImport } = await import('../../../../definitions/read-imports.js');
  const { prefixOf } = await import('../../../../authoring/import/name-operation.js');
  const wanted = flags.prefix ?? readImport(root, source.kind, source.name)?.prefix ?? prefixOf(source.name);
  const prefix = await checkedName('--prefix', wanted, `${wanted ?? source.name} cannot begin an operation key`);
  const imported = await source.operations(prefix);
  const effects = await choicesOf(flags);
  const select = flags.select.length > 0 ? flags.select : undefined;
  const options = { ...source, prefix, select, effects, overwrite: flags.overwrite === true };
  const planned = flags.dryRun
    ? await plan(loader, imported, options)
    : await alone(root, { note: context.terminal.note, signal }, async () => {
        const { writeTogetherOr } = await import('../../../../authoring/write-together.js');
        const now = await plan(loader, imported, options);
        writeTogetherOr('import.write_failed', root, now.writes);
        return now;
      });
  const { importAsJson, renderImport } = await import('../../output/render-import.js');
  const { terminal } = context;
  const end = { source, planned, isDryRun: flags.dryRun === true };
  printAnswer(context, importAsJson(end), () => renderImport(end, terminal.style));
}

/** Reads changed files again, since waiting for another import may have changed them. */
async function plan(
  loader: RegistryLoader,
  imported: Imported,
  options: Omit<ImportOptions, 'compileSchema'>,
): Promise<PlannedImport> {
  const { planImport } = await import('../../../../authoring/import/plan-import.js');
  const { compileSchema } = await import('../../../../planning/input/schemas.js');
  const registry = loader.load();
  const sources = new Map(loader.sources().map((source) => [source.file, source]));
  return planImport(registry, imported, { ...options, sources, compileSchema });
}

async function choicesOf({ effectsFor = [] }: CommonFlags): Promise<EffectChoice[]> {
  if (effectsFor.length === 0) return [];
  const { readEffectChoice } = await import('../../../../authoring/import/effect-choices.js');
  return effectsFor.map(readEffectChoice);
}

/** A valid prefix of operation keys. @throws AbilityError `usage.invalid` with the message for others. */
export async function checkedName(flag: string, name: string | undefined, message: string): Promise<string> {
  const { prefixOf } = await import('../../../../authoring/import/name-operation.js');
  if (name !== undefined && prefixOf(name) === name) return name;
  const suggestion = `Pass ${flag} with a lowercase letter first, then lowercase letters, digits, dots, dashes and _.`;
  throw usageError(message, suggestion);
}

async function alone<T>(root: string, waiting: Waiting, action: () => Promise<T>): Promise<T> {
  const { whileAlone } = await import('../writing/while-alone.js');
  try {
    return await whileAlone(root, waiting, action);
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'scaffold.write_failed') throw error;
    throw new AbilityError({ ...error.toProblem(), code: 'import.write_failed' }, { cause: error });
  }
}

/** Where an import takes place. */
export interface ImportSite {
  context: Context;
  loader: RegistryLoader;
  registry: Registry;
  /** Ctrl-C, which ends the import before anything is written. */
  signal: AbortSignal;
}

/** How another system is taken over: what is found there, and how that gets into the project. */
interface Importer<Flags, Found> {
  /** Writes nothing. @param source the argument of the command. @throws AbilityError `import.*`, `usage.invalid`. */
  read(site: ImportSite, source: string, flags: Flags): Promise<Found>;
  /** Writes, unless it is a dry run, and prints the answer. @throws AbilityError `import.*`. */
  write(site: ImportSite, found: Found, flags: Flags): Promise<void>;
}

/** The command of an importer. */
export function runImporter<Flags, Found>({ read, write }: Importer<Flags, Found>) {
  return async (context: Context, [source]: [string], flags: Flags): Promise<void> => {
    const loader = await openLoader(context);
    const registry = loader.load();
    await unlessInterrupted(context, async (signal) => {
      const site = { context, loader, registry, signal };
      await write(site, await read(site, source, flags), flags);
    });
  };
}
