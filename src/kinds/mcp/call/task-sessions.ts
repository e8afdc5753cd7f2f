import { CallFailure, factsOf } from '../../../activities/call/call-failure.js';
import type { PlanMcpServer } from '../../../contracts/plan.js';
import { closeWhenOpen, connectMcp, type McpConnection, SessionLost, whileItMay } from './connection.js';
import { type McpHost, type McpUser, secretsOf } from './open-transport.js';

/** A task's connection to one server. */
interface Session {
  connecting: Promise<McpConnection>;
  users: number;
  idle?: NodeJS.Timeout;
  /** Why it is lost; a lost one stays until its task ends, so that no other takes its place. */
  lost?: string;
  /** With which its server was started; they may have changed since. */
  secrets: readonly string[];
}

export type SessionUser = McpUser & {
  /** Workflow id of the topmost calling task; absent: the call of a hook, which has a session of its own. */
  root?: string;
};

/** Resolves when a task has ended, or at the signal. */
export type UntilEnded = (task: string, signal: AbortSignal) => Promise<void>;

interface Bounds {
  /** After this time without a call, a session is closed. Milliseconds. */
  idleMs: number;
  /** Maximum of open sessions. */
  max: number;
}

const BOUNDS: Bounds = { idleMs: 3_600_000, max: 100 };

/**
 * Connections to MCP servers that keep state: one per server and task, with those that it calls, from the first call
 * until the task has ended in whatever way. Source: docs/guide.md#mcp.
 */
export class TaskSessions {
  private readonly tasks = new Map<string, Map<string, Session>>();
  private readonly leaving = new AbortController();

  constructor(
    private readonly host: McpHost,
    private readonly untilEnded: UntilEnded,
    private readonly bounds: Bounds = BOUNDS,
  ) {}

  /** Number of open ones. */
  get open(): number {
    return this.all().filter(({ lost }) => lost === undefined).length;
  }

  private all(): Session[] {
    return [...this.tasks.values()].flatMap((ofTask) => [...ofTask.values()]);
  }

  /** @throws CallFailure `mcp.session_lost`, `mcp.no_session`, and those of {@link connectMcp}. */
  async use<T>(
    server: PlanMcpServer,
    call: SessionUser,
    action: (connection: McpConnection) => Promise<T>,
  ): Promise<T> {
    const session = this.enter(server, call);
    if (session.lost !== undefined) throw lostSession(server, session.lost);
    clearTimeout(session.idle);
    session.users += 1;
    try {
      return await action(await whileItMay(session.connecting, call, server.name));
    } catch (error) {
      if (error instanceof SessionLost) this.lose(session, 'its server no longer knows it');
      const isBroken = error instanceof CallFailure && error.code === 'unavailable.connection';
      if (session.lost === undefined || !isBroken || factsOf(error).unclear) throw error;
      throw lostSession(server, session.lost);
    } finally {
      session.users -= 1;
      if (call.root === undefined) this.lose(session, 'its call has ended');
      else if (session.users === 0) this.watchIdle(session);
    }
  }

  async close(): Promise<void> {
    this.leaving.abort();
    const open = this.all();
    this.tasks.clear();
    for (const session of open) session.lost ??= 'its worker ended';
    await Promise.all(open.map(closed));
  }

  private enter(server: PlanMcpServer, call: SessionUser): Session {
    const secrets = secretsOf(server, call);
    const known = call.root === undefined ? undefined : this.tasks.get(call.root)?.get(server.name);
    for (const value of known?.secrets ?? []) call.log.hide(value);
    if (known) return known;
    if (this.open >= this.bounds.max) throw tooMany(server, this.bounds);
    const connecting = this.connect(server, call);
    const session: Session = { connecting, users: 0, secrets };
    if (call.root !== undefined) this.sessionsOf(call.root).set(server.name, session);
    connecting.then(
      ({ client }) => {
        client.onclose = () => this.lose(session, 'its server ended');
      },
      // Nothing was called in it, so the next call may begin another one.
      () => call.root !== undefined && this.tasks.get(call.root)?.delete(server.name),
    );
    return session;
  }

  private async connect(server: PlanMcpServer, call: SessionUser): Promise<McpConnection> {
    const connection = await connectMcp(server, call, this.host, this.leaving.signal);
    if (connection.hasSession) return connection;
    await connection.close();
    throw new CallFailure({
      code: 'mcp.no_session',
      message: `The MCP server ${server.name} opened no session, so it cannot tell tasks apart`,
      suggestion: 'If its tools keep no state between calls, set `session: shared` for it in registry/config.',
    });
  }

  private sessionsOf(task: string): Map<string, Session> {
    const known = this.tasks.get(task);
    if (known) return known;
    const sessions = new Map<string, Session>();
    this.tasks.set(task, sessions);
    void this.untilEnded(task, this.leaving.signal).then(() => {
      if (this.tasks.get(task) === sessions) this.tasks.delete(task);
      for (const session of sessions.values()) this.lose(session, 'its task has ended');
    });
    return sessions;
  }

  private watchIdle(session: Session): void {
    const { idleMs } = this.bounds;
    const minutes = Math.round(idleMs / 60_000);
    const lose = (): void => this.lose(session, `it was closed after ${minutes} min without a call`);
    session.idle = setTimeout(lose, idleMs).unref();
  }

  private lose(session: Session, why: string): void {
    if (session.lost !== undefined) return;
    session.lost = why;
    closed(session).catch((error: unknown) => this.host.onLeft?.(error));
  }
}

function closed({ connecting, idle }: Session): Promise<void> {
  clearTimeout(idle);
  return closeWhenOpen(connecting);
}

function lostSession({ name }: PlanMcpServer, why: string): CallFailure {
  return new CallFailure({
    code: 'mcp.session_lost',
    message: `The session of the task with the MCP server ${name} is lost, and no other one takes its place: ${why}`,
    suggestion: 'Run the ability again: a new task begins with a new session.',
  });
}

function tooMany({ name }: PlanMcpServer, { max }: Bounds): CallFailure {
  const message = `This worker has ${max} sessions of tasks with MCP servers, so it begins none with ${name}`;
  return new CallFailure({ code: 'unavailable.connection', message });
}
