import type { Connection } from '../../client/index.js';
import type { Registry } from '../../definitions/registry.js';
import type { McpDoor } from '../mcp/mcp-door.js';
import type { AgentSessions } from './agent-sessions.js';
import type { Authentication } from './authenticate.js';
import type { PageDoor } from './page/page-door.js';
import type { Rate } from './rate-limit.js';

export interface HttpDoor {
  /** The current definitions. @throws AbilityError like `RegistryLoader.load`. */
  registry(): Registry;
  /** The environment of requests that name none; undefined: the project's default. */
  environment: string | undefined;
  /** Source of credentials for planning, and of the store of logs. */
  env: NodeJS.ProcessEnv;
  /** Runs an action on the door's one connection, which is renewed after the runtime was stopped. */
  ask<T>(action: (connection: Connection) => Promise<T>): Promise<T>;
  authentication: Authentication;
  /** Whether this door answers to a host name, given in lower case. */
  isOwnHost(hostname: string): boolean;
  /** The folder that agents' sessions concern. */
  scope: string;
  sessions: AgentSessions;
  /** Left out: the door does not serve agents over MCP. */
  mcp?: McpOptions;
  /** Left out: the door does not serve the page for people. */
  page?: PageDoor;
  limits: Limits;
  /** Aborts when the door closes. */
  closing: AbortSignal;
  /** Whether callers without a token may read tasks of other projects on the same server; left out: they may not. */
  readsOthers?: boolean;
  /** Path of its log, where its callers are its operator. */
  log?: string;
  /** Writes a note for the operator; callers do not see it. */
  note(text: string): void;
}

interface Limits {
  rate: Rate;
  /** Of a request body. */
  bytes: number;
  /** The maximum time to receive a whole request, in milliseconds. */
  requestMs: number;
  /** Long polls of one caller: tasks that it listens to, plus its requests that wait. */
  listeners: number;
  /** The same for all callers together. */
  listenersInAll: number;
  /** Concurrent requests of one caller that listen or wait, including several for the same task. */
  streams: number;
  /** The same for all callers together. */
  streamsInAll: number;
}

/** The limits of `ability serve`. A body may be as large as an input on the command line. */
export const USUAL_LIMITS: Limits = {
  rate: { burst: 1000, perSecond: 200 },
  bytes: 16 * 1024 * 1024,
  requestMs: 30_000,
  listeners: 200,
  listenersInAll: 500,
  streams: 1200,
  streamsInAll: 3000,
};

export interface McpOptions
  extends Pick<McpDoor, 'expose' | 'skill' | 'lend' | 'findPage' | 'typed' | 'strict' | 'patienceMs' | 'lookMs'> {
  /** How often tokens are checked again, in milliseconds. */
  tokensMs: number;
}
