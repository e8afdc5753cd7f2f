import type { Project } from '../../definitions/formats/project.js';
import { parseDuration } from '../../rules/duration.js';
import { type ModelEndpoint, modelEndpoint } from '../model-endpoint.js';
import { USUAL_THRESHOLD } from './targets.js';

/** The model that decides; `url` is the base of its endpoint. */
export interface RouterModel extends ModelEndpoint {
  model: string;
  /** For all that one decision asks of it. Milliseconds. */
  timeoutMs: number;
}

/** How a project decides. */
export interface RouterSettings {
  threshold: number;
  /** Undefined: rules decide; a sentence without a full stop: a model should, and cannot. */
  model: RouterModel | string | undefined;
}

/** How a project decides about requests in plain words. Source: R-003-15; C-25. */
export function routerSettings(
  { project: { policy } }: { project: { policy: Pick<Project['policy'], 'router' | 'allowed_hosts'> } },
  env: NodeJS.ProcessEnv,
): RouterSettings {
  const { model, timeout = '10s', threshold = USUAL_THRESHOLD } = policy.router ?? {};
  if (model === undefined) return { threshold, model };
  const endpoint = modelEndpoint('', policy, env);
  const wanted = typeof endpoint === 'string' ? endpoint : { ...endpoint, model, timeoutMs: parseDuration(timeout) };
  return { threshold, model: wanted };
}
