import type { AbilityText } from '../choosing/ranker.js';
import { WordRanker } from '../choosing/word-ranker.js';
import { loadedAbilities, loadedComposites } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';
import { listSpecialists } from '../definitions/specialists.js';
import { partsOfHandler } from '../definitions/written-handler.js';
import { findStated } from '../planning/schedules/stated-schedules.js';
import { callsOf } from '../planning/steps/called-abilities.js';
import { findTriggers } from '../planning/triggers/check-trigger.js';
import { readRecords } from '../server/logs/read-records.js';
import { UsageLog } from '../server/logs/usage-log.js';
import { pathsOf } from '../server/project-paths.js';
import { type CallSources, callsSeen, type SeenCalls } from './calls-seen.js';

interface PrunedAbility {
  id: string;
  /** `never`: no call is known; `rarely`: called, but not within the given time. */
  used: 'never' | 'rarely';
  calls: number;
  /** ISO 8601; null: never. */
  last_used: string | null;
  /** Definitions that name it and would miss it, and what starts it; empty: none. */
  users: string[];
}

interface AlikeAbilities {
  ids: [string, string];
  /** From 0.6 to 1; 1: each fits the other's description as well as its own. */
  likeness: number;
}

interface DeprecatedAbility {
  id: string;
  replaced_by: string | null;
  users: string[];
}

/** The answer of `ability prune`. Source: R-000-94. */
export interface Prune {
  /** The oldest known call of any ability, ISO 8601; null: none is known. */
  counted_since: string | null;
  counted_in: {
    usage: boolean;
    records: number;
    /** Tasks that Temporal listed; null: it was not queried, or did not answer. */
    tasks: number | null;
  };
  unused: PrunedAbility[];
  alike: AlikeAbilities[];
  deprecated: DeprecatedAbility[];
  /** Sources that could not be read, so calls may be missing. */
  warnings: string[];
}

const ALIKE = 0.6;

/** Only reports. @param tasks as Temporal lists them; undefined: Temporal was not queried. */
export function prune(
  registry: Registry,
  { unusedMs, tasks, now = Date.now() }: { unusedMs: number; tasks?: CallSources['tasks']; now?: number },
): Prune {
  const { system, records: folder } = pathsOf(registry.root);
  const log = new UsageLog(system);
  const [usage, began] = [log.read(), log.since()];
  const { records, unread, left_out } = readRecords(folder);
  const seen = callsSeen({ usage, records, tasks });
  const users = usersOf(registry);
  const starts = [...records.map(({ created_at }) => created_at), ...(tasks ?? []).map(({ started_at }) => started_at)];
  const times = [...starts.map((at) => Date.parse(at)), (began ?? Number.NaN) * 1000].filter(Number.isFinite);
  const since = times.reduce((one, other) => Math.min(one, other), Number.POSITIVE_INFINITY);
  const broken = `${unread.length} records or folders of them could not be read, such as ${unread[0]}: their calls are not counted`;
  const older = `${left_out} older records were not looked at`;
  return {
    counted_since: Number.isFinite(since) ? new Date(since).toISOString() : null,
    counted_in: { usage: usage.length > 0, records: records.length, tasks: tasks?.length ?? null },
    unused: seen.size > 0 ? unusedIn(registry, seen, users, now - unusedMs) : [],
    alike: alikeIn(registry),
    deprecated: deprecatedIn(registry, users),
    warnings: [...(unread.length > 0 ? [broken] : []), ...(left_out > 0 ? [older] : [])],
  };
}

function unusedIn(
  registry: Registry,
  seen: ReadonlyMap<string, SeenCalls>,
  users: ReadonlyMap<string, string[]>,
  since: number,
): PrunedAbility[] {
  return loadedAbilities(registry)
    .map(([id]) => id)
    .sort()
    .flatMap((id): PrunedAbility[] => {
      const { calls = 0, last_used = null } = seen.get(id) ?? {};
      if (last_used !== null && Date.parse(last_used) >= since) return [];
      return [{ id, used: last_used === null ? 'never' : 'rarely', calls, last_used, users: users.get(id) ?? [] }];
    });
}

/** Workflows, agents, packs, hooks, webhooks and schedules that use an ability, by its id. */
function usersOf(registry: Registry): Map<string, string[]> {
  const users = new Map<string, string[]>();
  const add = (id: string, user: string): void => {
    const known = users.get(id) ?? [];
    if (!known.includes(user)) users.set(id, [...known, user]);
  };
  for (const [user, { value }] of loadedComposites(registry)) for (const { id } of callsOf(value)) add(id, user);
  for (const [user, { value }] of registry.operations) if (value.unknown) add(value.unknown.call, user);
  for (const { id, workflow } of listSpecialists(registry).packs) add(workflow, `pack ${id}`);
  for (const { value } of [...registry.hooks.values()].flat()) {
    const { ability } = partsOfHandler(value.handler);
    if (ability !== undefined) add(ability, `hook ${value.id}`);
  }
  for (const { spec } of findTriggers(registry)) add(spec.ability, `webhook ${spec.webhook}`);
  for (const { spec } of findStated(registry)) add(spec.ability, `schedule ${spec.id}`);
  return users;
}

function deprecatedIn(registry: Registry, users: ReadonlyMap<string, string[]>): DeprecatedAbility[] {
  const loaded = loadedAbilities(registry).sort(([one], [other]) => (one < other ? -1 : 1));
  return loaded.flatMap(([id, { value }]) => {
    if (value.status !== 'deprecated') return [];
    return [{ id, replaced_by: value.replaced_by ?? null, users: users.get(id) ?? [] }];
  });
}

function alikeIn(registry: Registry): AlikeAbilities[] {
  const texts = [
    ...loadedComposites(registry).map(([id, { value }]) => textOf(id, value.summary, value.scenarios)),
    ...[...registry.operations].map(([id, { value }]) => textOf(id, value.summary, value.use_cases)),
  ];
  const ranker = new WordRanker(texts.map(({ text }) => text));
  const likenesses = new Map<string, { ids: [string, string]; seen: number[] }>();
  for (const { text, said } of texts) {
    const ranked = ranker.rankNow({ text: said, limit: 3 });
    const own = ranked.find(({ id }) => id === text.id)?.score ?? 0;
    for (const { id, score } of own > 0 ? ranked.filter((one) => one.id !== text.id) : []) {
      const ids = [text.id, id].sort() as [string, string];
      const pair = likenesses.get(ids.join('\n')) ?? { ids, seen: [] };
      pair.seen.push(Math.min(1, oddsOf(score) / oddsOf(own)));
      likenesses.set(ids.join('\n'), pair);
    }
  }
  // Two are alike only if each fits the other's description.
  return [...likenesses.values()]
    .filter(({ seen }) => seen.length === 2)
    .map(({ ids, seen }) => ({ ids, likeness: Math.round(Math.min(...seen) * 100) / 100 }))
    .filter(({ likeness }) => likeness >= ALIKE)
    .sort((one, other) => other.likeness - one.likeness);
}

/** Scores of similar texts are all close to 1; the odds show the difference. */
function oddsOf(score: number): number {
  return score / Math.max(1 - score, 1e-6);
}

function textOf(id: string, summary: string, uses: readonly string[] = []): { text: AbilityText; said: string } {
  return { text: { id, texts: { summary: [summary], uses }, not: [] }, said: [summary, ...uses].join('\n') };
}
