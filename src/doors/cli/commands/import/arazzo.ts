import { dirname, resolve } from 'node:path';
import type { KnownSource } from '../../../../authoring/import/arazzo/find-operation.js';
import type { ArazzoDocument, ArazzoImport } from '../../../../authoring/import/arazzo/import-arazzo.js';
import { isJsonObject, type JsonObject } from '../../../../contracts/json.js';
import { usageError } from '../../../../contracts/problem.js';
import type { ImportState } from '../../../../definitions/formats/import-state.js';
import type { RegistryLoader } from '../../../../definitions/load-registry.js';
import type { Registry } from '../../../../definitions/registry.js';
import { matchesAnyGlob } from '../../../../text/glob.js';
import { headersOf } from '../../input/document-header-flags.js';
import { type Context, openLoader } from '../../program/context.js';
import type { ImportFlags } from '../../program/imports.js';
import { unlessInterrupted } from '../following/interruption.js';
import { checkedName, importIntoProject, timeoutOf } from './import-into-project.js';

type Flags = ImportFlags['arazzo'];

/** `ability import arazzo FILE|URL`: each workflow of an Arazzo document becomes an ability. */
export async function run(context: Context, [source]: [string], flags: Flags): Promise<void> {
  const timeoutMs = timeoutOf(flags);
  const loader = await openLoader(context);
  const registry = loader.load();
  const { importArazzo, openArazzo } = await import('../../../../authoring/import/arazzo/import-arazzo.js');
  const { loadDescription } = await import('../../../../authoring/import/openapi/load-description.js');
  return unlessInterrupted(context, async (signal) => {
    const headers = await headersOf(context, registry, flags);
    const { text, from, url } = await loadDescription(source, { cwd: context.cwd, timeoutMs, signal, headers });
    const opened = openArazzo(text, from);
    const name = await chooseName(opened, flags);
    const sources = await findSources(registry.root, opened, url ?? resolve(context.cwd, source), flags);
    return importIntoProject(
      context,
      loader,
      {
        kind: 'arazzo',
        name,
        location: from,
        command: ['ability import arazzo', from, ...commandFlags(flags, name)].join(' '),
        read: async (prefix) => importArazzo(opened, { prefix, sources, ...known(loader, registry) }),
      },
      flags,
      signal,
    );
  });
}

function isAlike(patterns: readonly string[], key: string, form: string): boolean {
  return matchesAnyGlob(patterns, key) === matchesAnyGlob(patterns, form);
}

function commandFlags({ name, source = [] }: Flags, chosen: string): string[] {
  return [...(name === undefined ? [] : [`--name ${chosen}`]), ...source.map((one) => `--source ${one}`)];
}

function known(loader: RegistryLoader, registry: Registry): Pick<ArazzoImport, 'definitionOf' | 'whyUnguarded'> {
  const sources = new Map(loader.sources().map(({ file, value }) => [file, value]));
  return {
    definitionOf(key): JsonObject | undefined {
      const file = registry.operations.get(key)?.file;
      const value = file === undefined ? undefined : sources.get(file);
      return isJsonObject(value) ? value : undefined;
    },
    whyUnguarded(key, form) {
      if (registry.configs.has(key) && !registry.configs.has(form)) {
        return `registry/config configures ${key}, and not ${form}, which its workflows would call; configure both`;
      }
      const hook = [...registry.hooks.values()]
        .flat()
        .find(({ value: { match } }) => match?.abilities && !isAlike(match.abilities, key, form));
      return (
        hook &&
        `the hook ${hook.value.id} is for ${key}, and not for ${form}, which its workflows would call; let it match both`
      );
    },
  };
}

async function chooseName({ title, from }: ArazzoDocument, { name }: Flags): Promise<string> {
  const { nameOfPlace, nameOfTitle } = await import('../../../../authoring/import/openapi/name-operations.js');
  const unfit = name === undefined ? `The title of ${from} contains no valid name` : `${name} is no name for an import`;
  return checkedName('--name', name ?? nameOfTitle(title) ?? nameOfPlace(from), unfit);
}

/** Matches each source to an import: the chosen one, one of the same address or file, or of the same name. */
async function findSources(
  root: string,
  { sources }: ArazzoDocument,
  at: string,
  { source: flags = [] }: Flags,
): Promise<KnownSource[]> {
  const { listImports } = await import('../../../../definitions/read-imports.js');
  const imports = listImports(root);
  const chosen = new Map(flags.map((flag) => sourceFlag(flag, sources, imports)));
  return sources.map((source) => {
    const own = imports.filter(({ kind }) => kind === kindOf(source));
    const place = placeOf(source.url, at);
    const state =
      chosen.get(source.name) ??
      own.find(({ location }) => placeOf(location, `${root}/`) === place) ??
      own.find(({ name }) => name === source.name);
    return { ...source, state };
  });
}

function kindOf({ type }: ArazzoDocument['sources'][number]): ImportState['kind'] {
  return type === 'arazzo' ? 'arazzo' : 'openapi';
}

function sourceFlag(
  flag: string,
  sources: ArazzoDocument['sources'],
  imports: readonly ImportState[],
): [string, ImportState] {
  const [name = '', wanted = ''] = flag.split('=');
  const source = sources.find((one) => one.name === name);
  // Imports of different kinds can share a name.
  const state = imports.find((one) => one.name === wanted && (!source || one.kind === kindOf(source)));
  if (state && source) return [name, state];
  throw usageError(
    source ? `There is no import ${wanted} for a source of this type` : `The document has no source ${name}`,
    `Pass --source SOURCE=IMPORT; sources are ${sources.map((one) => one.name).join(', ')}, imports ${imports.map((one) => one.name).join(', ') || 'none'}.`,
  );
}

/** An absolute path or address, without query and fragment. */
function placeOf(text: string, base: string): string {
  if (URL.canParse(text)) return withoutQuery(new URL(text));
  if (URL.canParse(base)) return URL.canParse(text, base) ? withoutQuery(new URL(text, base)) : text;
  return resolve(base.endsWith('/') ? base : dirname(base), text);
}

function withoutQuery(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
