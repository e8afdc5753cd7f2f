/** The kinds of implementation: the one place that lists them. Everything else asks {@link kindOf}. */
import { api } from './api/kind.js';
import type { Kind, KindName, WrittenKind, WrittenKindName } from './kind.js';
import { mcp } from './mcp/kind.js';
import { model } from './model/kind.js';
import { script } from './script/kind.js';

const WRITTEN: { readonly [K in WrittenKindName]: WrittenKind<K> } = { script, mcp, api };

/** The kinds that definitions have. */
export const WRITTEN_KINDS = Object.keys(WRITTEN) as WrittenKindName[];

const KINDS: { readonly [K in KindName]: Kind<K> } = { ...WRITTEN, model };

/** Of an implementation in a plan, or of a call's target in a record. */
export function kindOf<K extends KindName>({ kind }: { kind: K }): Kind<K> {
  return KINDS[kind];
}

/** Of an implementation in a definition. */
export function writtenKindOf<K extends WrittenKindName>({ kind }: { kind: K }): WrittenKind<K> {
  return WRITTEN[kind];
}

/** The kind that alone reads a setting of registry/config; undefined if every kind does. */
export function readerOf(setting: string): WrittenKindName | undefined {
  return WRITTEN_KINDS.find((kind) => WRITTEN[kind].settings.includes(setting));
}
