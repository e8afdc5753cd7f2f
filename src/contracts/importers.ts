/** What `ability import` takes over, in the order of its help. Tables by this name list what each importer needs. */
export const IMPORTERS = ['mcp', 'openapi', 'hooks'] as const;

export type ImporterName = (typeof IMPORTERS)[number];
