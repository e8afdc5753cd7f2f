/** Chooses a pack. Source: R-004-08 to R-004-12; C-34, C-40, C-41; docs/choosing.md#recruiting. */
import { AbilityError } from '../../contracts/problem.js';
import type { RecruitmentResult } from '../../contracts/routing.js';
import type { Registry } from '../../definitions/registry.js';
import { type Capability, type Pack, readSpecialists } from '../../definitions/specialists.js';
import { nearestOrAll } from '../../text/nearest.js';

/** The request, and the packs to recruit from. */
export interface Recruitment {
  prompt: string;
  /** In file order. */
  capabilities: readonly Pick<Capability, 'id' | 'keywords' | 'needs'>[];
  /** In file order: of packs that fit equally well, the first is recruited. */
  packs: readonly Pick<Pack, 'id' | 'keywords' | 'capabilities'>[];
  /** Whether packs may use capabilities that need a network. Source: C-41. */
  network: boolean;
  /** The pack that the caller has chosen, if any. */
  named?: string | undefined;
}

/** The last resort for choosing `engineering`. Source: docs/choosing.md#recruiting. */
const ENGINEERING_WORDS = ['code', 'build', 'implement', 'service', 'pipeline', 'deploy'];

/** The capabilities with a keyword in the request, in upper or lower case. Source: R-004-08; C-40. */
export function inferCapabilities(prompt: string, capabilities: Recruitment['capabilities']): string[] {
  return capabilities.filter(({ keywords }) => hitsOf(prompt, keywords) > 0).map(({ id }) => id);
}

/**
 * The named pack, else the one with most required capabilities, else with most keywords in the request, else by a
 * rule of thumb. @throws AbilityError `pack.not_found` for an unknown name.
 */
export function recruit({ prompt, capabilities, packs, network, named }: Recruitment): RecruitmentResult {
  const required_capabilities = inferCapabilities(prompt, capabilities);
  const chosen = (specialist_id: string, routing_method: RecruitmentResult['routing_method']): RecruitmentResult => {
    return { specialist_id, required_capabilities, routing_method };
  };
  if (named !== undefined) return chosen(findPack(packs, named).id, 'explicit');
  const usable = capabilities.filter(({ id, needs }) => {
    return required_capabilities.includes(id) && (network || needs !== 'network');
  });
  const able = bestOf(packs, (pack) => usable.filter(({ id }) => pack.capabilities.includes(id)).length);
  if (able) return chosen(able.id, 'capability_routing');
  const meant = bestOf(packs, ({ keywords }) => hitsOf(prompt, keywords));
  if (meant) return chosen(meant.id, 'keyword_fallback');
  return chosen(guessPack(prompt, packs).id, 'heuristic_fallback');
}

/** For an environment of a project. @throws AbilityError as {@link recruit}, and as {@link readSpecialists}. */
export function recruitIn(
  registry: Registry,
  { environment, prompt, named }: { environment: string; prompt: string; named?: string | undefined },
): RecruitmentResult {
  const network = isNetworkAllowed(registry, environment);
  return recruit({ ...readSpecialists(registry), prompt, network, named });
}

/** False if the environment has `network: false` or does not exist. Source: C-41. */
export function isNetworkAllowed({ project }: Pick<Registry, 'project'>, environment: string): boolean {
  const { environments } = project;
  return Object.hasOwn(environments, environment) && environments[environment]?.network !== false;
}

/** The number of keywords in a text, also inside words: `test` is in `latest`. Source: C-40. */
function hitsOf(prompt: string, keywords: readonly string[]): number {
  const text = prompt.toLowerCase();
  return keywords.filter((keyword) => text.includes(keyword.toLowerCase())).length;
}

/** The first item with the highest score; undefined if all scores are 0. Source: R-004-09 to R-004-11. */
function bestOf<T>(packs: readonly T[], scoreOf: (pack: T) => number): T | undefined {
  const scores = packs.map(scoreOf);
  const best = Math.max(0, ...scores);
  return best === 0 ? undefined : packs[scores.indexOf(best)];
}

function guessPack<T extends { id: string }>(prompt: string, packs: readonly T[]): T {
  const withId = (id: string): T | undefined => packs.find((pack) => pack.id === id);
  const engineering = hitsOf(prompt, ENGINEERING_WORDS) > 0 ? withId('engineering') : undefined;
  const guessed = engineering ?? withId('research') ?? packs[0];
  if (guessed) return guessed;
  throw new AbilityError({ code: 'pack.not_found', message: 'There is no pack to recruit' });
}

function findPack<T extends { id: string }>(packs: readonly T[], named: string): T {
  const ids = packs.map(({ id }) => id);
  const found = packs[ids.indexOf(named)];
  if (found) return found;
  const message = `There is no pack ${JSON.stringify(named)}`;
  throw new AbilityError({ code: 'pack.not_found', message, suggestion: nearestOrAll(named, ids) });
}
