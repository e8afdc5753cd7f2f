import type { Project } from '../definitions/formats/project.js';
import { parseDuration } from '../rules/duration.js';
import { type ModelEndpoint, modelEndpoint } from './model-endpoint.js';

/** Where and how texts become vectors; `url` is `<base>/embeddings`. */
export interface EmbeddingsSettings extends ModelEndpoint {
  model: string;
  /** How long one request may wait for all it needs. Milliseconds. */
  timeoutMs: number;
}

/**
 * How a project ranks by meaning; undefined: it does not.
 *
 * @returns a sentence where it should and cannot.
 */
export function embeddingsSettings(
  { project: { policy } }: { project: { policy: Pick<Project['policy'], 'embeddings' | 'allowed_hosts'> } },
  env: NodeJS.ProcessEnv,
): EmbeddingsSettings | string | undefined {
  if (!policy.embeddings) return undefined;
  const { model, timeout } = policy.embeddings;
  const endpoint = modelEndpoint('embeddings', policy, env);
  return typeof endpoint === 'string' ? endpoint : { ...endpoint, model, timeoutMs: parseDuration(timeout) };
}
