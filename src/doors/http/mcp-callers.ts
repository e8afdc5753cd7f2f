import { CallQueue } from '../mcp/call-queue.js';
import type { McpDoor, Visitor } from '../mcp/mcp-door.js';
import type { HttpCaller } from './caller.js';
import { environmentOf } from './choose-environment.js';
import type { HttpDoor } from './http-door.js';
import type { McpOptions } from './mcp-options.js';

/** The MCP door that stands on an HTTP door. Its environment is that of requests that name none; agents choose no other. */
export function mcpDoorOn(door: HttpDoor, options: McpOptions): McpDoor {
  return {
    registry: () => door.registry(),
    get environment() {
      return environmentOf(door, door.registry(), undefined);
    },
    scope: door.scope,
    env: door.env,
    lend: () => options.lend(),
    note: (text) => door.note(text),
    expose: options.expose,
    skill: options.skill,
    patienceMs: options.patienceMs,
    lookMs: options.lookMs,
    typed: (text) => options.typed(text),
    review: (answer) => options.review(answer),
  };
}

/** Who calls over MCP, for as long as their token opens the door. */
export interface McpCaller {
  visitor: Visitor;
  /** Fires when the token opens nothing any more. */
  closed: AbortSignal;
}

interface Kept extends McpCaller {
  token: string | undefined;
  end: AbortController;
}

/** The callers of an MCP door over HTTP: each token has a session and a queue, so that none takes the places of another. */
export class McpCallers {
  private readonly kept = new Map<string, Kept>();

  constructor(
    private readonly door: HttpDoor,
    private readonly mcp: Pick<McpDoor, 'environment'>,
  ) {}

  /**
   * The same one for the same token. What it may is what the token may, and never to decide.
   *
   * @throws AbilityError `config.no_environment`.
   */
  of(caller: HttpCaller): McpCaller {
    const { environment } = this.mcp;
    const place = `${caller.name} ${environment}`;
    const known = this.kept.get(place);
    if (known) return known;
    const end = new AbortController();
    const { person, token } = caller;
    const visitor: Visitor = {
      person,
      ...(person.agent !== undefined && { agent: person.agent }),
      access: caller.rights.has('run') ? 'run' : 'read',
      session: this.door.sessions.of(caller, environment),
      calls: new CallQueue(),
    };
    const kept: Kept = { visitor, closed: end.signal, token, end };
    this.kept.set(place, kept);
    return kept;
  }

  /** Ends what callers hear whose token has expired, or was revoked in any process. */
  endClosed(): void {
    const { authentication } = this.door;
    for (const [place, { token, end }] of this.kept) {
      if (token === undefined || authentication.findToken(token)) continue;
      this.kept.delete(place);
      end.abort();
    }
  }
}
