import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RegistryLoader } from '../../definitions/load-registry.js';
import { TokenFolder } from '../../server/keys/tokens/token-folder.js';
import { pathsOf } from '../../server/project-paths.js';
import { log } from '../../worker/logger.js';
import { currentUser } from '../cli/program/context.js';
import { AgentSessions } from '../http/agent-sessions.js';
import { isLoopback } from '../http/check-origin.js';
import { type HttpDoor, USUAL_LIMITS } from '../http/http-door.js';
import { openHttpDoor } from '../http/open-http-door.js';
import type { DoorPlace } from './open-runtime-door.js';

/** The routes of `ability serve`. Without a token, the socket's owner may read and run, but not decide. */
export async function openRoutes(
  { root, env, runtime }: DoorPlace,
  { loader, use, closing }: { loader: RegistryLoader; use: HttpDoor['ask']; closing: AbortSignal },
): Promise<(request: IncomingMessage, response: ServerResponse) => void> {
  const tokens = new TokenFolder(pathsOf(root).tokens, runtime.project ?? '');
  const app = openHttpDoor({
    registry: () => loader.load(),
    environment: undefined,
    env,
    ask: use,
    // The environment of the command that started the runtime says nothing about later callers.
    authentication: { findToken: (text) => tokens.authenticate(text), local: currentUser({}), believesClaims: true },
    isOwnHost: isLoopback,
    scope: 'integration',
    sessions: new AgentSessions(),
    limits: USUAL_LIMITS,
    closing,
    note: (text) => log.error(text),
  });
  await app.ready();
  return (request, response) => app.routing(request, response);
}
