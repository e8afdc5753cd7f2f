import { TRACEPARENT_VARIABLE } from '../../contracts/traces.js';
import { AGENT_VARIABLES, CI_VARIABLES } from '../cli/input/read-caller.js';

/** What a command that the runtime does reads of the environment it was typed in; nothing else of that goes over the socket. */
const SENT = [
  'ABILITY_CALLER',
  'ABILITY_ENV',
  'ABILITY_SCOPE',
  'ABILITY_SESSION',
  'ABILITY_USER',
  'NO_COLOR',
  'TERM',
  TRACEPARENT_VARIABLE,
  'npm_command',
  'npm_config_user_agent',
  ...AGENT_VARIABLES,
  ...CI_VARIABLES,
] as const;

/** What names another server or another store, so that the runtime is not asked; and what says that it is not to be. */
const ELSEWHERE = ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'ABILITY_STORE'] as const;

/** The part of an environment that is sent. */
export function sentOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(SENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

/** Whether an environment lets the runtime of the project be asked: `ABILITY_SOCKET=off` does not. */
export function mayAsk(env: NodeJS.ProcessEnv): boolean {
  return env.ABILITY_SOCKET !== 'off' && ELSEWHERE.every((name) => !env[name]);
}
