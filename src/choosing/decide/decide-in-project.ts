import type { FocusContext, RoutingDecision, Targets } from '../../contracts/routing.js';
import type { SessionThread } from '../../contracts/session.js';
import type { Registry } from '../../definitions/registry.js';
import { type AbilityPool, poolOf } from '../ability-pool.js';
import { type Accounted, accountFor } from '../account-for.js';
import { FITS, type Ranked } from '../ranker.js';
import { readInputs, readOptional } from '../read-inputs.js';
import { stemOf } from '../stem.js';
import { type Suggestion, suggest } from '../suggest.js';
import { actionIn } from './action.js';
import { decide, type Router } from './decide.js';
import { focusOf } from './focus.js';
import { modelRouter, routerSettings, unaskable } from './model-router.js';
import type { CheckValue } from './read-slot.js';
import { saidIn } from './said-text.js';
import { type Fit, targetFor } from './targets.js';

export interface DecidingPlace {
  registry: Registry;
  environment: string;
  /** A folder of the project; null: none is given. */
  scope: string | null;
  env: NodeJS.ProcessEnv;
  signal?: AbortSignal;
}

export interface PlanningOf {
  targets(place: DecidingPlace, abilities: Iterable<{ id: string; level: 'high' | 'low' }>): Targets;
  check: CheckValue;
}

export interface DecidedThread extends Pick<SessionThread, 'messages' | 'pending'> {
  key: string;
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
  { key, messages, pending }: DecidedThread,
  planning: PlanningOf,
): Promise<Decided> {
  const { registry, environment, env, signal } = request;
  const pool = poolIn(request, environment);
  const focus = focusOf({ key, messages, pending, now: Date.now() });
  const { threshold, model } = routerSettings(registry, env);
  const targets = planning.targets(request, pool.abilities.values());
  const decision = await decide({
    focus,
    targets,
    rank: (text) => rankBySuggestions(request, pool, text),
    shortlist: async (text, limit) => (await pool.ranker.rank({ text, limit })).ranked.map(({ id }) => id),
    account: (id, text) => accountInPool(pool, id, text, [environment, request.scope ?? '']),
    check: planning.check,
    threshold,
    ...(model !== undefined && { router: typeof model === 'string' ? unaskable(model) : routerOf(model) }),
    ...(signal && { signal }),
  });
  const missed = decision.decision === 'respond' ? await missedBy(request, pool, targets, focus) : [];
  return { focus, decision, pool, targets, missed };
}

/** As far as the inputs are read from the text alone. */
function accountInPool({ abilities }: AbilityPool, id: string, text: string, places: readonly string[]): Accounted {
  const ability = abilities.get(id);
  const { summary = [], uses = [], keywords = [] } = ability?.text.texts ?? {};
  const schema = ability?.definition.input_schema ?? {};
  const { given } = readInputs(schema, text);
  const input = { ...readOptional(schema, text, given), ...given };
  return accountFor(text, { texts: [id, ...summary, ...uses, ...keywords], places, input });
}

/** Agents are chosen otherwise: they are what a request is delegated to. */
function poolIn({ registry, scope, env }: DecidingPlace, environment: string): AbilityPool {
  return poolOf(registry, environment, scope, env, 'without agents');
}

async function missedBy(
  request: DecidingPlace,
  pool: AbilityPool,
  targets: Targets,
  { anchor, lane }: FocusContext,
): Promise<Decided['missed']> {
  const anchored = lane.window.find(({ id }) => id === anchor?.message_id);
  if (!anchored) return [];
  const fits = (await rankBySuggestions(request, pool, saidIn(anchored.text))).filter(({ score }) => score >= FITS);
  const callable = fits.findIndex(({ abilityId }) => targetFor(targets, abilityId));
  return fits.slice(0, callable < 0 ? fits.length : callable).map(({ abilityId, unavailable }) => {
    const reason = unavailable ?? targets.tools.find((tool) => tool.abilityId === abilityId)?.reason;
    return { ability_id: abilityId, reason: reason ?? 'it cannot be called here' };
  });
}

const MAX_RANKED = 8;
/** From this share of the best score on, an ability fits equally well. */
const ABOUT = 0.9;

/**
 * Suggestions in order, or the nearest abilities. First come better ones of other environments, and a low-level
 * ability with all inputs if the high-level one that covers it lacks some.
 */
async function rankBySuggestions(request: DecidingPlace, pool: AbilityPool, text: string): Promise<Fit[]> {
  const { ranked } = await pool.ranker.rank({ text, limit: MAX_RANKED });
  const raw = new Map(ranked.map((one) => [one.id, one]));
  const { suggestions } = await suggest(pool, { text });
  const fitOf = (id: string, score: number, reason?: string): Fit => {
    return { abilityId: id, score, words: raw.get(id)?.words ?? [], ...(reason !== undefined && { reason }) };
  };
  const suggested = suggestions.map(({ id, score, reason }) => fitOf(id, score, reason));
  const [first, ...others] = suggested;
  const ways = first ? ranked.filter((one) => isOtherWay(one, suggestions)) : [];
  const complete = ways.find((one) => isMoreComplete(pool, one, suggestions[0], text));
  const [way] = complete ? [] : ways;
  const needsMore = suggestions[0]?.level === 'high' && suggestions[0].missing.length > 0;
  const alternative = way && needsMore ? [{ ...fitOf(way.id, way.score), isAlternative: true }] : [];
  const fits = first ? [first, ...alternative, ...others] : ranked.slice(0, 3).map(({ id, score }) => fitOf(id, score));
  const best = Math.max(0, ...ranked.map(({ score }) => score));
  const elsewhere = await fitsElsewhere(request, text, best);
  return [...elsewhere, ...(complete ? [fitOf(complete.id, complete.score)] : []), ...fits];
}

/** Whether an ability that is not suggested fits as well as the first suggestion, which covers it. */
function isOtherWay({ id, score }: Ranked, suggestions: readonly Suggestion[]): boolean {
  const [first] = suggestions;
  return first !== undefined && score >= first.score * ABOUT && suggestions.every((one) => one.id !== id);
}

function isMoreComplete(pool: AbilityPool, { id }: Ranked, first: Suggestion | undefined, text: string): boolean {
  const schema = pool.abilities.get(id)?.definition.input_schema;
  if (!schema || !first || first.missing.length === 0) return false;
  const { given, missing } = readInputs(schema, text);
  return missing.length === 0 && Object.keys(given).length > 0;
}

/** Abilities of other environments, at most three, that fit better than all of this one. */
async function fitsElsewhere(request: DecidingPlace, text: string, best: number): Promise<Fit[]> {
  const { registry, environment } = request;
  const fits = new Map<string, { score: number; environments: string[] }>();
  const action = actionIn(text);
  const isMeant = (words: readonly string[]): boolean =>
    action?.kind !== 'write' || words.some((word) => action.stems.has(stemOf(word)));
  for (const other of Object.keys(registry.project.environments).filter((name) => name !== environment)) {
    const { ranked } = await poolIn(request, other).ranker.rank({ text, limit: 3 });
    for (const { id, score } of ranked.filter(({ words }) => isMeant(words))) {
      const known = fits.get(id) ?? { score, environments: [] };
      fits.set(id, { score: Math.max(score, known.score), environments: [...known.environments, other] });
    }
  }
  const here = poolIn(request, environment).abilities;
  return [...fits]
    .filter(([id, { score }]) => !here.has(id) && score >= FITS && score > best)
    .sort(([, one], [, other]) => other.score - one.score)
    .slice(0, 3)
    .map(([abilityId, { score, environments }]) => {
      return { abilityId, score, unavailable: `it runs in ${environments.join(', ')}, not in ${environment}` };
    });
}

const routers = new Map<string, Router>();

function routerOf(model: Parameters<typeof modelRouter>[0]): Router {
  const key = JSON.stringify([model.url.href, model.model, model.key ?? null, model.timeoutMs, model.allowed]);
  const router = routers.get(key) ?? modelRouter(model);
  routers.set(key, router);
  return router;
}
