import type { DocumentHeader } from '../../../authoring/import/openapi/document-headers.js';
import type { Registry } from '../../../definitions/registry.js';
import { type Context, environmentOf } from '../program/context.js';
import type { ImportFlags } from '../program/imports.js';

/** Resolves secrets; stores nothing. @throws AbilityError `usage.invalid`, `config.missing_credential`. */
export async function headersOf(
  context: Context,
  registry: Registry,
  { header }: Pick<ImportFlags['openApi'], 'header'>,
): Promise<DocumentHeader[]> {
  if (header.length === 0) return [];
  const { readDocumentHeader } = await import('../../../authoring/import/openapi/document-headers.js');
  const { SecretSource } = await import('../../../planning/secrets/secret-source.js');
  const secrets = new SecretSource(registry.root, await environmentOf(context, registry), context.env);
  return header.map((text) => readDocumentHeader(text, (reference) => secrets.resolve(reference, 'value of --header')));
}
