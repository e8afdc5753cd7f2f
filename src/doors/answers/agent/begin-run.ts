import { recruitIn } from '../../../choosing/recruit/recruit.js';
import type { SessionRunOptions } from '../../../client/index.js';
import type { Json } from '../../../contracts/json.js';
import type { Person } from '../../../contracts/people.js';
import type { RecruitmentResult } from '../../../contracts/routing.js';
import type { AgentRequest } from '../../../definitions/formats/agent-request.js';
import type { Registry } from '../../../definitions/registry.js';
import { knownSecrets } from '../../../planning/secrets/credentials.js';
import { Masker } from '../../../planning/secrets/masking/masker.js';
import { SecretSource } from '../../../planning/secrets/secret-source.js';
import { digestOf } from '../../../rules/canonical.js';
import { generateRunId } from '../../../server/logs/run-ids.js';
import { beginRun } from '../../../server/logs/run-log.js';
import { pathsOf } from '../../../server/project-paths.js';
import { refuseText } from '../ask/begin-ask.js';
import { offeredAbilities } from './offered-abilities.js';
import { openProvider } from './open-provider.js';

/** A request to an AI, and where it is made. */
export interface AgentAsk {
  request: AgentRequest;
  registry: Registry;
  environment: string;
  scope: string;
  user: Person;
  env: NodeJS.ProcessEnv;
  /** Id of the run; left out: a new one. */
  run?: string | undefined;
  /** An open session; the one that the request names wins. */
  session?: string | undefined;
}

/** A run that has begun: its log has its first line. */
export interface BegunAgent {
  options: SessionRunOptions & { run: string };
  recruited: RecruitmentResult;
}

/**
 * Begins a run of an agent: recruits, and writes that down, before anything else is done. Source: R-004-16; docs/choosing.md#recruiting.
 *
 * @throws AbilityError `usage.invalid`, `pack.not_found`, `runlog.key_conflict`, `runlog.write_failed`, `planner.failed`.
 */
export async function beginAgent(ask: AgentAsk): Promise<BegunAgent> {
  const { request, registry, environment, scope, user, env } = ask;
  const { prompt, pack } = request;
  refuseText(prompt);
  const recruited = recruitIn(registry, { environment, prompt, named: pack });
  const run = ask.run ?? generateRunId();
  const session = request.session_id ?? ask.session;
  const asked = { prompt, environment, scope, pack: pack ?? null, session: session ?? null, user: user.name };
  const journal = beginRun(pathsOf(registry.root), { id: run, request: digestOf(asked), recruitment: recruited });
  const masker = new Masker(knownSecrets(registry, new SecretSource(registry.root, environment, env)));
  const options = {
    run,
    prompt,
    environment,
    scope,
    user,
    journal,
    mask: <T extends Json>(value: T): T => masker.maskDeep(value) as T,
    provider: openProvider(request.provider, registry, env),
    abilities: await offeredAbilities({ registry, environment, scope, env }, prompt),
    ...(session !== undefined && { session }),
  };
  return { options, recruited };
}
