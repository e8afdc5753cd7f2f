import type { Imported } from '../../../../authoring/import/imported.js';
import type { DocumentHeader } from '../../../../authoring/import/openapi/document-headers.js';
import type { OpenApiDocument } from '../../../../authoring/import/openapi/import-document.js';
import type { Registry } from '../../../../definitions/registry.js';
import { defined } from '../../../../text/defined.js';
import type { ImportFlags } from '../../program/authoring.js';
import { type Context, environmentOf } from '../../program/context.js';
import {
  checkedName,
  type ImportSite,
  type ImportSource,
  importIntoProject,
  runImporter,
  timeoutOf,
} from './import-into-project.js';

type Flags = ImportFlags['openapi'];

/** `ability import openapi FILE|URL`: each operation of an OpenAPI document becomes a low-level ability. */
export const run = runImporter<Flags, ImportSource>({ read: readApi, write: importIntoProject });

async function readApi({ context, registry, signal }: ImportSite, source: string, flags: Flags): Promise<ImportSource> {
  const timeoutMs = timeoutOf(flags);
  const { importDocument, openDocument } = await import('../../../../authoring/import/openapi/import-document.js');
  const { loadDescription } = await import('../../../../authoring/import/openapi/load-description.js');
  const headers = await headersOf(context, registry, flags);
  const { text, from, url } = await loadDescription(source, { cwd: context.cwd, timeoutMs, signal, headers });
  const opened = openDocument(text, from);
  const name = await chooseName(opened, flags);
  const { server } = flags;
  const usedFlags = [
    ...(flags.name === undefined ? [] : [`--name ${name}`]),
    ...(server === undefined ? [] : [`--server ${server}`]),
  ];
  return {
    kind: 'openapi',
    name,
    location: from,
    command: ['ability import openapi', from, ...usedFlags].join(' '),
    async operations(prefix) {
      const wanted = { service: name, prefix, ...defined({ server, documentUrl: url }) };
      const imported = await importDocument(opened, wanted);
      return { ...imported, notes: [...imported.notes, ...(await hostNotes(registry, imported))] };
    },
  };
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

/** Resolves secrets; stores nothing. @throws AbilityError `usage.invalid`, `config.missing_credential`. */
async function headersOf(context: Context, registry: Registry, { header }: Flags): Promise<DocumentHeader[]> {
  if (header.length === 0) return [];
  const { readDocumentHeader } = await import('../../../../authoring/import/openapi/document-headers.js');
  const { SecretSource } = await import('../../../../planning/secrets/secret-source.js');
  const secrets = new SecretSource(registry.root, await environmentOf(context, registry), context.env);
  return header.map((text) => readDocumentHeader(text, (reference) => secrets.resolve(reference, 'value of --header')));
}
