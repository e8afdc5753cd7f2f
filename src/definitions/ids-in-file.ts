import { basename } from 'node:path';
import { PHASES, type Phase } from '../contracts/hooks.js';
import { type ReadFile, sourceOf } from './read-files.js';
import type { BrokenKind, FileKindName } from './registry.js';

/** The ids that a broken file would define, from its value or else its text; undefined if unknown. */
export function idsIn(kind: FileKindName, read: ReadFile): [BrokenKind, string][] | undefined {
  if (kind === 'hooks') {
    const phase = phaseOf(read.file);
    return phase && [['hooks', phase]];
  }
  if (kind === 'hooks-impl') return idsInHandlers(read);
  const value = sourceOf(read)?.value;
  const record = (value !== null && typeof value === 'object' ? value : {}) as Record<string, unknown>;
  if (kind === 'config') return value === record ? idsInConfig(record) : undefined;
  // One broken entry makes all unusable: another would be recruited in its place.
  if (kind === 'capabilities' || kind === 'packs') return undefined;
  const id = fieldOf(kind === 'low-level' ? 'operation_key' : 'id', record, read);
  if (kind === 'modules') return id === undefined ? undefined : [['module', id]];
  if (kind !== 'implementations') return id === undefined ? undefined : [['ability', id]];
  const operation = fieldOf('operation_key', record, read);
  const ids: [BrokenKind, string | undefined][] = [
    ['implementation', id],
    ['implementation_of', operation],
  ];
  const known = ids.filter((entry): entry is [BrokenKind, string] => entry[1] !== undefined);
  return known.length > 0 ? known : undefined;
}

/** Undefined if an id is unknown: such a handler may belong to any hook without one. */
function idsInHandlers(read: ReadFile): [BrokenKind, string][] | undefined {
  const value = sourceOf(read)?.value;
  const hooks = value !== null && typeof value === 'object' && 'hooks' in value ? value.hooks : undefined;
  if (!Array.isArray(hooks)) return undefined;
  const ids = hooks.map((item: unknown) => (item as { id?: unknown } | null)?.id);
  if (!ids.every((id) => typeof id === 'string')) return undefined;
  return ids.map((id): [BrokenKind, string] => ['hook_impl', id]);
}

function fieldOf(key: string, record: Record<string, unknown>, { text }: ReadFile): string | undefined {
  const value = record[key];
  if (typeof value === 'string') return value;
  return new RegExp(`^${key}:[ \\t]*["']?([A-Za-z0-9_.-]+)`, 'm').exec(text)?.[1];
}

/** Undefined if any part is unknown: a configuration binds guards, and no ability may run without them. */
function idsInConfig(record: Record<string, unknown>): [BrokenKind, string][] | undefined {
  const { abilities = [], env_profiles = {}, mcp_servers = {}, services = {}, ...others } = record;
  if (Object.keys(others).length > 0 || !Array.isArray(abilities)) return undefined;
  const ids = abilities.map((item: unknown) => (item as { id?: unknown } | null)?.id);
  if (ids.some((id) => typeof id !== 'string')) return undefined;
  return [
    ...ids.map((id): [BrokenKind, string] => ['config', id as string]),
    ...Object.keys(env_profiles ?? {}).map((name): [BrokenKind, string] => ['env_profile', name]),
    ...Object.keys(mcp_servers ?? {}).map((name): [BrokenKind, string] => ['mcp_server', name]),
    ...Object.keys(services ?? {}).map((name): [BrokenKind, string] => ['service', name]),
  ];
}

/** The phase in a file's name: `PreAbilityCall.yaml`, also written `pre_ability_call.yaml`. Source: C-05. */
export function phaseOf(file: string): Phase | undefined {
  const plain = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');
  const name = plain(basename(file).replace(/\.ya?ml$/, ''));
  return PHASES.find((phase) => plain(phase) === name);
}
