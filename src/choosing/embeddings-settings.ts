import type { Project } from '../definitions/formats/project.js';
import { isHostAllowed, portOf } from '../rules/allowed-hosts.js';
import { parseDuration } from '../rules/duration.js';

/** Where and how texts become vectors. */
export interface EmbeddingsSettings {
  /** Of the endpoint itself: `<base>/embeddings`. */
  url: URL;
  model: string;
  /** How long one request may wait for all it needs. Milliseconds. */
  timeoutMs: number;
  /** Sent as bearer token; never printed. */
  key?: string;
  /** Entries as `policy.allowed_hosts` has them. */
  allowed: readonly string[];
}

/** Where an OpenAI-compatible client goes that has a key and no address. */
const USUAL_BASE = 'https://api.openai.com/v1';

/**
 * How a project ranks by meaning; undefined: it does not.
 *
 * The address and the key come from the environment only: a project that was just cloned cannot send requests, or the key, to a place of
 * its own. The policy of hosts holds for the address all the same. Source: C-49; decision 0003.
 *
 * @returns a sentence where it should and cannot.
 */
export function embeddingsSettings(
  { project: { policy } }: { project: { policy: Pick<Project['policy'], 'embeddings' | 'allowed_hosts'> } },
  env: NodeJS.ProcessEnv,
): EmbeddingsSettings | string | undefined {
  if (!policy.embeddings) return undefined;
  const { model, timeout } = policy.embeddings;
  const { OPENAI_BASE_URL, OPENAI_API_KEY: key } = env;
  const base = OPENAI_BASE_URL || (key ? USUAL_BASE : undefined);
  if (!base) return 'neither OPENAI_BASE_URL nor OPENAI_API_KEY is set';
  const url = endpointOf(base);
  if (!url) return 'OPENAI_BASE_URL is no http address without a user name, a query and a fragment';
  const allowed = policy.allowed_hosts ?? [`${url.hostname}:${portOf(url)}`];
  if (!isHostAllowed(url, allowed)) return `\`policy.allowed_hosts\` in ability.yaml does not allow ${url.host}`;
  return { url, model, timeoutMs: parseDuration(timeout), ...(key && { key }), allowed };
}

function endpointOf(base: string): URL | undefined {
  if (!/^https?:\/\//i.test(base) || !URL.canParse(base)) return undefined;
  const url = new URL(base);
  if (url.username || url.password || url.search || url.hash) return undefined;
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/embeddings`;
  return url;
}
