import type { Imported } from '../../../../authoring/import/imported.js';
import type { OpenApiDocument } from '../../../../authoring/import/openapi/import-document.js';
import type { Registry } from '../../../../definitions/registry.js';
import { headersOf } from '../../input/document-header-flags.js';
import { type Context, openLoader } from '../../program/context.js';
import type { ImportFlags } from '../../program/imports.js';
import { unlessInterrupted } from '../following/interruption.js';
import { checkedName, importIntoProject, timeoutOf } from './import-into-project.js';

type Flags = ImportFlags['openApi'];

/** `ability import openapi FILE|URL`: each operation of an OpenAPI document becomes a low-level ability. */
export async function run(context: Context, [source]: [string], flags: Flags): Promise<void> {
  const timeoutMs = timeoutOf(flags);
  const loader = await openLoader(context);
  const registry = loader.load();
  const { importDocument, openDocument } = await import('../../../../authoring/import/openapi/import-document.js');
  const { loadDescription } = await import('../../../../authoring/import/openapi/load-description.js');
  return unlessInterrupted(context, async (signal) => {
    const headers = await headersOf(context, registry, flags);
    const { text, from, url } = await loadDescription(source, { cwd: context.cwd, timeoutMs, signal, headers });
    const opened = openDocument(text, from);
    const name = await chooseName(opened, flags);
    const { server } = flags;
    const usedFlags = [
      ...(flags.name === undefined ? [] : [`--name ${name}`]),
      ...(server === undefined ? [] : [`--server ${server}`]),
    ];
    return importIntoProject(
      context,
      loader,
      {
        kind: 'openapi',
        name,
        location: from,
        command: ['ability import openapi', from, ...usedFlags].join(' '),
        read: async (prefix) => {
          const wanted = { service: name, prefix, ...(server !== undefined && { server }) };
          const imported = await importDocument(opened, { ...wanted, ...(url !== undefined && { documentUrl: url }) });
          return { ...imported, notes: [...imported.notes, ...(await hostNotes(registry, imported))] };
        },
      },
      flags,
      signal,
    );
  });
}

async function chooseName({ document, from }: OpenApiDocument, { name }: Flags): Promise<string> {
  const { nameOfPlace, serviceNameOf } = await import('../../../../authoring/import/openapi/name-operations.js');
  const unfit = name === undefined ? `The title of ${from} contains no valid name` : `${name} is no name for a service`;
  return checkedName('--name', name ?? serviceNameOf(document) ?? nameOfPlace(from), unfit);
}

async function hostNotes({ project }: Registry, { config }: Imported): Promise<string[]> {
  const { isHostAllowed } = await import('../../../../rules/calls/allowed-hosts.js');
  const { addressesIn } = await import('../../../../authoring/import/openapi/import-document.js');
  const allowed = project.policy.allowed_hosts;
  if (!allowed) return [];
  const refused = addressesIn(config).filter((address) => !isHostAllowed(new URL(address), allowed));
  return refused.map(
    (address) =>
      `The policy does not allow ${new URL(address).host}; add it to \`policy.allowed_hosts\` in ability.yaml`,
  );
}
