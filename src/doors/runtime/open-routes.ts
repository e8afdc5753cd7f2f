import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { AbilityError } from '../../contracts/problem.js';
import type { RegistryLoader } from '../../definitions/load-registry.js';
import type { Registry } from '../../definitions/registry.js';
import { PAGE_ADDRESS } from '../../operations/over-http/find-page.js';
import { currentUser } from '../../operations/read-caller.js';
import { rightsOf } from '../../rules/rights.js';
import { ownDoorKey } from '../../server/keys/door-key.js';
import { TokenFolder } from '../../server/keys/tokens/token-folder.js';
import { pathsOf } from '../../server/project-paths.js';
import { log } from '../../worker/logger.js';
import { AgentSessions } from '../http/agent-sessions.js';
import { authenticate } from '../http/authenticate.js';
import { isLoopback } from '../http/check-origin.js';
import { type HttpDoor, USUAL_LIMITS } from '../http/http-door.js';
import { openHttpDoor } from '../http/open-http-door.js';
import { OneTimeLinks, pageOf } from '../http/page/page-door.js';
import { readInput } from '../http/route.js';
import type { DoorPlace } from './open-runtime-door.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What both doors of a runtime share. */
interface Shared {
  loader: RegistryLoader;
  use: HttpDoor['ask'];
  closing: AbortSignal;
  /** Opens the port of the page. @returns its address. */
  openPage(): Promise<string>;
  /** Undefined while the page is not open. */
  pageAddress(): string | undefined;
}

/** The doors of a runtime: its socket, open to its owner alone, and the page, open to whom a link let in. */
export async function openRoutes(place: DoorPlace, shared: Shared): Promise<{ socket: Handler; page: Handler }> {
  const { root, env, runtime } = place;
  const { loader, use, closing } = shared;
  const tokens = new TokenFolder(pathsOf(root).tokens, runtime.project ?? '');
  const findToken = (text: string) => tokens.authenticate(text);
  const common: Omit<HttpDoor, 'authentication'> = {
    registry: () => sameProject(loader.load(), runtime),
    environment: undefined,
    env,
    ask: (action) => {
      sameProject(loader.load(), runtime);
      return use(action);
    },
    isOwnHost: isLoopback,
    scope: 'integration',
    sessions: new AgentSessions(),
    limits: USUAL_LIMITS,
    closing,
    note: (text) => log.error(text),
  };
  const links = new OneTimeLinks();
  const page = pageOf({ root, tokens, isSecure: false, links });
  // The environment of the command that started the runtime says nothing about later callers.
  // No OpenID provider lets anyone in here.
  const known = { findToken, rightsOfPerson: () => rightsOf('read'), doorKey: () => ownDoorKey(pathsOf(root).doorKey) };
  const local = { ...known, local: currentUser({}), believesClaims: true };
  const forOwner = openHttpDoor({ ...common, authentication: local, readsOthers: true, log: runtime.log });
  // Without a link it lets no one in, so agents may read it.
  forOwner.get(PAGE_ADDRESS, async () => ({ address: shared.pageAddress() ?? null }));
  mountLinks(forOwner, local, async (person, to) => {
    const address = await shared.openPage();
    return `${address}/page/open?link=${links.create({ person, to })}`;
  });
  const forPage = openHttpDoor({ ...common, authentication: { ...known, cookie: page.cookie }, page });
  await Promise.all([forOwner.ready(), forPage.ready()]);
  return {
    socket: (request, response) => forOwner.routing(request, response),
    page: (request, response) => forPage.routing(request, response),
  };
}

/** A path of the page, which a link leads to: no address elsewhere. */
const wanted = z.strictObject({
  to: z
    .string()
    .max(2000)
    .regex(/^\/(?![/\\])[\x21-\x7e]*$/),
});

/** The route of `ability open`, on the socket alone: who reaches it is the user who owns the runtime. */
function mountLinks(
  app: FastifyInstance,
  authentication: HttpDoor['authentication'],
  make: (person: string, to: string) => Promise<string>,
): void {
  app.post('/page-links', async (request) => {
    const { person, kind } = authenticate(authentication, request);
    if (kind === 'agent') {
      throw new AbilityError({
        code: 'approval.by_agent',
        message: 'An agent opens no page in which approvals are decided',
        suggestion: 'Ask a person to run `ability open` in a terminal of their own.',
      });
    }
    const { to } = readInput(wanted, request.body) as { to: string };
    return { url: await make(person.name, to) };
  });
}

/** A renamed project needs a new runtime. @throws AbilityError `door.unreachable`, so that commands bypass this one. */
function sameProject(registry: Registry, { project }: DoorPlace['runtime']): Registry {
  if (registry.project.project === project) return registry;
  throw new AbilityError({
    code: 'door.unreachable',
    message: `This runtime is of the project ${project}, which is now called ${registry.project.project}`,
    suggestion: 'Stop it with `ability down`; the next command starts another.',
  });
}
