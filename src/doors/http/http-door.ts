import type { Connection } from '../../client/index.js';
import type { PreflightAnswer } from '../../contracts/task.js';
import type { Registry } from '../../definitions/registry.js';
import { chooseEnvironment, resolveEnvironment } from '../../planning/resolve/resolve-environment.js';
import type { McpDoor } from '../mcp/mcp-door.js';
import type { AgentSessions } from './agent-sessions.js';
import type { Authentication } from './authenticate.js';
import type { Rate } from './rate-limit.js';

/** The state shared by all requests to a door. */
export interface HttpDoor {
  /** The definitions as they are now. @throws AbilityError as `RegistryLoader.load`. */
  registry(): Registry;
  /** The environment of requests that name none; left out: as the project chooses. */
  environment: string | undefined;
  /** Where the door looks for credentials when it plans, and for the store of logs. */
  env: NodeJS.ProcessEnv;
  /** Does something with the one connection of the door, which is made again where the runtime was stopped. */
  ask<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
  authentication: Authentication;
  /** Whether a host name, in small letters, is one of this door. */
  isOwnHost(hostname: string): boolean;
  /** The folder that sessions of agents are about. */
  scope: string;
  sessions: AgentSessions;
  /** How agents are served over MCP; left out: they are not. */
  mcp?: McpOptions;
  limits: Limits;
  /** Fires when the door closes. */
  closing: AbortSignal;
  /** Writes a note for the operator; callers do not see it. */
  note(text: string): void;
}

/** How much the door takes. */
interface Limits {
  rate: Rate;
  /** Of a body. */
  bytes: number;
  /** In which a request must have been sent whole, in milliseconds. */
  requestMs: number;
  /** Tasks that one caller listens to, and requests of it that wait, at the same time. */
  listeners: number;
  /** The same of all callers together. */
  listenersInAll: number;
  /** Requests of one caller that listen or wait at the same time, also to one and the same task. */
  streams: number;
  /** The same of all callers together. */
  streamsInAll: number;
}

/** The limits of `ability serve`. A body is an input, which the command line accepts up to the same size. */
export const USUAL_LIMITS: Limits = {
  rate: { burst: 1000, perSecond: 200 },
  bytes: 16 * 1024 * 1024,
  requestMs: 30_000,
  listeners: 200,
  listenersInAll: 500,
  streams: 1200,
  streamsInAll: 3000,
};

/** The settings of `ability serve` for agents. */
export interface McpOptions extends Pick<McpDoor, 'expose' | 'skill' | 'lend' | 'typed' | 'patienceMs' | 'lookMs'> {
  /** As {@link McpDoor.review}. */
  review(answer: PreflightAnswer): Promise<void>;
  /** How often tokens are checked again, in milliseconds. */
  tokensMs: number;
}

/** The environment of a request: its own, the door's, the project's choice. @throws AbilityError `config.no_environment`, `environment.not_found`. */
export function environmentOf(
  { environment }: Pick<HttpDoor, 'environment'>,
  registry: Registry,
  asked: string | undefined,
): string {
  return resolveEnvironment(registry, chooseEnvironment(registry.project, asked ?? environment)).name;
}
