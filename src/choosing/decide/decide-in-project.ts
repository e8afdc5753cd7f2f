import type { FocusContext, RoutingDecision, Targets } from '../../contracts/routing.js';
import type { Registry } from '../../definitions/registry.js';
import type { DECIDING } from '../../planning/route-targets.js';
import { defined } from '../../text/defined.js';
import { type AbilityPool, poolOf } from '../ability-pool.js';
import { accountInPool } from '../account-for.js';
import { FITS } from '../ranker.js';
import { ADDRESSES, suggest } from '../suggest.js';
import { type DecideInput, decide } from './decide.js';
import { anchoredIn, focusOf, type Thread } from './focus.js';
import { modelRouter, routerSettings, unaskable } from './model-router.js';
import { saidIn } from './said-text.js';
import { type Fit, takesOf, targetFor } from './targets.js';

export interface DecidingPlace {
  registry: Registry;
  environment: string;
  /** A folder of the project; null: none is given. */
  scope: string | null;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

export interface Decided {
  focus: FocusContext;
  decision: RoutingDecision;
  pool: AbilityPool;
  targets: Targets;
  /** The best fits that cannot be called here; empty if something else was chosen. */
  missed: { ability_id: string; reason: string }[];
}

/** Decides about the last message of a thread, with the project's abilities in an environment. Source: C-23. */
export async function decideInProject(
  request: DecidingPlace,
  thread: Omit<Thread, 'now'>,
  planning: typeof DECIDING,
): Promise<Decided> {
  const { registry, environment, scope, env, signal } = request;
  const pool = poolOf(registry, environment, scope, env);
  const focus = focusOf({ ...thread, now: Date.now() });
  const { threshold, model } = routerSettings(registry, env);
  const router = typeof model === 'string' ? unaskable(model) : model && modelRouter(model);
  const all = [...pool.abilities.values()].filter(({ id }) => !registry.agents.has(id));
  const here = all.filter(({ unavailable }) => unavailable === null);
  const targets = planning.targets(request, here);
  const given = { focus, targets, check: planning.check, threshold, ...defined({ router, signal }) };
  const decision = await decideInPool(pool, given);
  const missed = decision.decision === 'respond' ? await missedBy(pool, targets, focus) : [];
  return { focus, decision, pool, targets, missed };
}

export function decideInPool(
  pool: AbilityPool,
  given: Omit<DecideInput, 'rank' | 'shortlist' | 'account'>,
): Promise<RoutingDecision> {
  return decide({
    ...given,
    rank: (text, among) => rankIn(pool, text, among),
    shortlist: async (text, limit) => (await pool.ranker.rank({ text, limit })).ranked.map(({ id }) => id),
    account: (id, text) => accountInPool(pool, id, text, { takes: takesOf(given.targets, id) }),
  });
}

async function missedBy(pool: AbilityPool, targets: Targets, focus: FocusContext): Promise<Decided['missed']> {
  const anchored = anchoredIn(focus);
  if (anchored === undefined) return [];
  const fits = (await rankIn(pool, saidIn(anchored))).filter(({ score }) => score >= FITS);
  const callable = fits.findIndex(({ abilityId }) => targetFor(targets, abilityId));
  return fits.slice(0, callable < 0 ? fits.length : callable).map(({ abilityId, unavailable }) => {
    const reason = unavailable ?? targets.tools.find((tool) => tool.abilityId === abilityId)?.reason;
    return { ability_id: abilityId, reason: reason ?? 'it cannot be called here' };
  });
}

/** The suggestions, which include what cannot be called here; if there are none, the nearest. */
async function rankIn(pool: AbilityPool, text: string, among?: ReadonlySet<string>): Promise<Fit[]> {
  const { suggestions } = await suggest(pool, { text, among });
  if (suggestions.length > 0)
    return suggestions.map(({ id, score, reason, unavailable }) => {
      return { abilityId: id, score, reason, ...defined({ unavailable }) };
    });
  const { ranked } = await pool.ranker.rank({ text: text.replaceAll(ADDRESSES, ' '), limit: 3, among });
  return ranked.map(({ id, score }) => ({ abilityId: id, score: Math.min(score, NEARLY_FITS) }));
}

const NEARLY_FITS = FITS - 0.01;
