import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import type { Registry } from '../../../../definitions/registry.js';
import { type Context, openLoader } from '../../program/context.js';
import { unlessInterrupted } from '../following/interruption.js';

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
