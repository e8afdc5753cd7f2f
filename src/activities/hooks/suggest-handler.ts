import { poolOf } from '../../choosing/ability-pool.js';
import { actOf } from '../../choosing/decide/asks-for.js';
import { suggest } from '../../choosing/suggest.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import type { Json } from '../../contracts/json.js';
import { knownSecrets } from '../../planning/secrets/credentials.js';
import { Masker } from '../../planning/secrets/masking/masker.js';
import { allowedAnswer, failedAnswer, type HookPlace } from '../../rules/hooks/hook-facts.js';
import type { SessionContext } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';

/** Maximum number of abilities suggested for a prompt; readers would skip more. */
const MAX = 3;

/**
 * Handler `suggest`: hints are the abilities that fit a prompt, the intent is the best one with reason, score and
 * missing inputs. Without a match it gives no answer; it never denies. Source: R-000-57, R-000-65.
 */
export async function suggestAbilities(
  id: string,
  run: SessionContext & HookPlace,
  { definitions, recordGap, secrets }: Pick<HookDependencies, 'definitions' | 'recordGap' | 'secrets'>,
): Promise<HookAnswer> {
  if (!definitions) return failedAnswer(id, run, 'there are no definitions here to suggest from');
  const { prompt, scope } = run.payload;
  const allowed = allowedAnswer(id, run);
  if (typeof prompt !== 'string') return allowed;
  const where = typeof scope === 'string' ? scope : run.module;
  const pool = poolOf(definitions(), run.environment.name, where);
  const { suggestions, nearest, documents, question, warning } = await suggest(pool, { text: prompt, limit: MAX });
  const answer = { ...allowed, ...(warning !== undefined && { warnings: [warning] }) };
  const here = suggestions.filter(({ unavailable }) => unavailable === undefined);
  if (here.length === 0 && recordGap && actOf(prompt) === 'asks') {
    const environment = run.environment.name;
    const masker = new Masker(knownSecrets(definitions(), secrets(environment)));
    const request = masker.mask(prompt);
    const kind = suggestions.length > 0 ? 'not_here' : 'nothing_fits';
    const near = [...suggestions.map(({ id: ability }) => ability), ...nearest].slice(0, MAX);
    recordGap({ request, kind, door: 'suggest', environment, scope: where ?? null, nearest: near });
  }
  const hints = [...here.map(({ id: ability }) => ability), ...documents];
  const [best] = suggestions;
  if (hints.length === 0 && !best) return answer;
  if (!best) return { ...answer, hook_signals: { routing_hints: hints } };
  const { given, missing, ...rest } = best;
  const intent = {
    ability_id: rest.id,
    score: rest.score,
    reason: rest.reason,
    ...(rest.unavailable !== undefined && { unavailable: rest.unavailable }),
    ...(Object.keys(given).length > 0 && { given }),
    ...(missing.length > 0 && { missing: missing.map(({ name }) => name) }),
    ...(question !== null && { ask: question }),
  };
  return { ...answer, hook_signals: { routing_hints: hints, normalized_intent: intent as Json } };
}
