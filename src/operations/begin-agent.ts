import { poolOf } from '../choosing/ability-pool.js';
import { recruitIn } from '../choosing/recruit/recruit.js';
import { commandProvider, type SessionRunOptions, scriptedProvider } from '../client/index.js';
import type { OfferedAbility, PlanProvider } from '../contracts/agent-runtime.js';
import type { Person } from '../contracts/callers.js';
import type { Json, JsonObject } from '../contracts/json.js';
import { AbilityError } from '../contracts/problem.js';
import { checkFormat } from '../definitions/check-format.js';
import { type AgentRequest, agentRequest } from '../definitions/formats/agent-request.js';
import type { Registry } from '../definitions/registry.js';
import { isProblem, readYaml } from '../definitions/yaml-source.js';
import { namedModel } from '../models/model-endpoint.js';
import { maskerFor } from '../planning/secrets/credentials.js';
import { digestOf } from '../rules/canonical.js';
import { parseDuration } from '../rules/duration.js';
import { generateId } from '../server/generate-id.js';
import { beginRun } from '../server/logs/run-log.js';
import { pathsOf } from '../server/project-paths.js';
import type { AskAnswer } from './ask/ask-shapes.js';
import { metaOf, refuseText } from './ask/begin-ask.js';
import { effectsOf } from './describe-ability.js';
import { modelProvider } from './planner-model.js';

interface AgentAsk {
  request: AgentRequest;
  registry: Registry;
  environment: string;
  scope: string;
  user: Person;
  /** Has credentials, and the address of a model. */
  env: NodeJS.ProcessEnv;
  /** Called with what the user should know meanwhile. */
  note(text: string): void;
  run?: string | undefined;
  /** An open session; a session in the request overrides it. */
  session?: string | undefined;
}

export interface BegunAgent {
  options: SessionRunOptions & { run: string };
  /** Of an answer. @param ran ids of the abilities that ran. */
  metaOf(ran: readonly string[]): AskAnswer['_meta'];
}

/**
 * Recruits, and logs that, before anything else. Source: R-004-16; docs/choosing.md#recruiting.
 * @throws AbilityError `usage.invalid`, `pack.not_found`, `runlog.key_conflict`, `runlog.write_failed`,
 * `planner.failed`.
 */
export async function beginAgent(ask: AgentAsk): Promise<BegunAgent> {
  const { request, registry, environment, scope, user, env } = ask;
  const { prompt, pack } = request;
  refuseText(prompt);
  const recruited = recruitIn(registry, { environment, prompt, named: pack });
  const run = ask.run ?? generateId('r');
  const session = request.session_id ?? ask.session;
  const identity = { prompt, environment, scope, pack: pack ?? null, session: session ?? null, user: user.name };
  const journal = beginRun(pathsOf(registry.root), { id: run, request: digestOf(identity), recruitment: recruited });
  const masker = maskerFor(registry, environment, env);
  const options = {
    ...{ run, prompt, environment, scope, user, journal },
    mask: <T extends Json>(value: T): T => masker.maskDeep(value) as T,
    provider: openProvider(request.provider, registry, env, ask.note),
    abilities: await offeredAbilities(ask, prompt),
    ...(session !== undefined && { session }),
  };
  return { options, metaOf: (ran) => metaOf(registry, recruited, ran) };
}

/** Maximum number of abilities that an AI may plan; the best fits stay. */
const MAX_OFFERED = 200;
/** Maximum total of their schemas, in characters of JSON. */
const MAX_SCHEMAS = 65_536;

async function offeredAbilities(
  { registry, environment, scope, env }: AgentAsk,
  prompt: string,
): Promise<OfferedAbility[]> {
  const pool = poolOf(registry, environment, scope, env);
  const { ranked } = await pool.ranker.rank({ text: prompt, limit: MAX_OFFERED });
  const here = [...pool.abilities.values()].filter(({ unavailable }) => unavailable === null).map(({ id }) => id);
  const ids = new Set([...ranked.map(({ id }) => id).filter((id) => here.includes(id)), ...here]);
  let room = MAX_SCHEMAS;
  return [...ids].slice(0, MAX_OFFERED).flatMap((id) => {
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

/**
 * @param env holds the address and key of a model, and the variables passed to programs.
 * @throws AbilityError `planner.failed` if no model is configured.
 */
function openProvider(
  { openai, command, scripted = [] }: AgentRequest['provider'],
  { root, project }: Pick<Registry, 'root' | 'project'>,
  env: NodeJS.ProcessEnv,
  note: (text: string) => void,
): PlanProvider {
  if (openai) {
    const model = namedModel('', openai, project.policy, env);
    if (typeof model === 'string') throw unaskable(model);
    return modelProvider(model, note);
  }
  if (command) {
    const [program, ...args] = command.argv;
    const { pass, timeout } = command;
    return commandProvider({ argv: [program, ...args], cwd: root, env, pass, timeoutMs: parseDuration(timeout) });
  }
  if (Array.isArray(scripted)) return scriptedProvider(scripted);
  const { program, timeout } = scripted;
  return commandProvider({ argv: [process.execPath, program], cwd: root, env, timeoutMs: parseDuration(timeout) });
}

function unaskable(reason: string): AbilityError {
  return new AbilityError({
    code: 'planner.failed',
    message: `No model was asked: ${reason}`,
    suggestion: 'Set OPENAI_BASE_URL, or OPENAI_API_KEY, or let a `command` make the plans.',
  });
}

/**
 * Parses the request of `ability agent`, as JSON or YAML. @param file its name in messages.
 * @throws AbilityError `definition.invalid`, `definition.syntax`, `definition.too_large`.
 */
export function readAgentRequest(file: string, text: string): AgentRequest {
  const source = readYaml(file, text);
  if (isProblem(source)) throw new AbilityError(source);
  const checked = checkFormat(agentRequest, source);
  if ('value' in checked) return checked.value;
  const [first] = checked.problems;
  throw new AbilityError(first ?? { code: 'definition.invalid', message: `${file} is no request` });
}
