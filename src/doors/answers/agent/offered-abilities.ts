import { poolOf } from '../../../choosing/ability-pool.js';
import type { OfferedAbility } from '../../../contracts/agent-runtime.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { Registry } from '../../../definitions/registry.js';
import { effectsOf } from '../effects-of.js';

/** So many abilities an AI may plan; those that fit the request best. */
const MOST_OFFERED = 200;
/** So much of their schemas it is shown. Characters of JSON. */
const MOST_SCHEMAS = 65_536;

/** Where an AI is to plan. */
interface Place {
  registry: Registry;
  environment: string;
  scope: string;
  /** In which credentials, and the address of a model, are looked for. */
  env: NodeJS.ProcessEnv;
}

/** What an AI may plan for a request: what can be run in the environment, the fitting ones first. */
export async function offeredAbilities(
  { registry, environment, scope, env }: Place,
  prompt: string,
): Promise<OfferedAbility[]> {
  const pool = poolOf(registry, environment, scope, env);
  const { ranked } = await pool.ranker.rank({ text: prompt, limit: MOST_OFFERED });
  const ids = new Set([...ranked.map(({ id }) => id), ...pool.abilities.keys()]);
  let room = MOST_SCHEMAS;
  return [...ids].slice(0, MOST_OFFERED).flatMap((id) => {
    const definition = pool.abilities.get(id)?.definition;
    if (!definition) return [];
    const schema = definition.input_schema as JsonObject;
    const length = JSON.stringify(schema).length;
    const fits = length <= room;
    if (fits) room -= length;
    const effects = effectsOf(registry, id, environment, env);
    return [{ id, summary: definition.summary, effects, input_schema: fits ? schema : null }];
  });
}
