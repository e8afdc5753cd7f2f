import type { Effect } from '../../contracts/effects.js';
import { scaffoldedApi } from '../../kinds/api/scaffold.js';
import type { WrittenKindName } from '../../kinds/kind.js';
import { scaffoldedMcp } from '../../kinds/mcp/scaffold.js';
import { scaffoldedScript } from '../../kinds/script/scaffold.js';
import type { KindChoice, Scaffolded } from './scaffolded.js';

const SCAFFOLDED: { readonly [K in WrittenKindName]: Scaffolded<K> } = {
  script: scaffoldedScript,
  mcp: scaffoldedMcp,
  api: scaffoldedApi,
};

export function scaffoldedOf<K extends WrittenKindName>({ kind }: { kind: K }): Scaffolded<K> {
  return SCAFFOLDED[kind];
}

/** The most severe effect possible, until the author states one. Source: docs/imports.md#an-mcp-server. */
export function effectsOf(choice: KindChoice): Effect {
  return scaffoldedOf(choice).effects(choice);
}
