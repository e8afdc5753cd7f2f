import type { PlanMcpServer } from '../../../contracts/plan.js';
import { digestOf } from '../../../rules/canonical.js';
import { closeWhenOpen, connectMcp, type McpConnection, SessionLost, whileItMay } from './connection.js';
import { type McpHost, type McpUser, secretsOf } from './open-transport.js';
import { TaskSessions, type UntilEnded } from './task-sessions.js';

interface Entry {
  name: string;
  connecting: Promise<McpConnection>;
  connected: boolean;
  /** Whether the server has answered a call over this connection. */
  answered: boolean;
  users: number;
  abandon: AbortController;
  /** Whether another connection to the same server has replaced this one. */
  replaced: boolean;
}

/**
 * Connections shared by all calls of a worker: one per server, environment and configuration. The next call
 * restarts a dead server; one whose configuration or secrets changed is closed after its last call.
 */
export class McpPool {
  private readonly entries = new Map<string, Entry>();

  /** For servers that keep state: a task has its own. */
  readonly sessions: TaskSessions;

  /** @param untilEnded see {@link TaskSessions}; absent: no task calls. */
  constructor(
    private readonly host: McpHost,
    untilEnded: UntilEnded = () => Promise.resolve(),
  ) {
    this.sessions = new TaskSessions(host, untilEnded);
  }

  /** @throws CallFailure `timeout.call` if the server does not start in time; then nothing was called. */
  async use<T>(server: PlanMcpServer, call: McpUser, action: (connection: McpConnection) => Promise<T>): Promise<T> {
    const entry = this.enter(server, call);
    entry.users += 1;
    try {
      const connection = await whileItMay(entry.connecting, call, server.name);
      const answer = await action(connection);
      entry.answered = true;
      return answer;
    } catch (error) {
      if (!(error instanceof SessionLost)) throw error;
      this.retire(entry);
      // A restarted server has lost the session; one that never answered would lose the next one, too.
      if (!entry.answered) throw error;
      return await this.use(server, call, action);
    } finally {
      entry.users -= 1;
      if (entry.users === 0 && !entry.connected) {
        this.forget(entry);
        entry.abandon.abort();
      }
      if (entry.replaced && entry.users === 0) this.closeLater(entry);
    }
  }

  async close(): Promise<void> {
    const open = [...this.entries.values()];
    const sessions = this.sessions.close();
    this.entries.clear();
    for (const entry of open) if (!entry.connected) entry.abandon.abort();
    await Promise.all([sessions, ...open.map(({ connecting }) => closeWhenOpen(connecting))]);
  }

  private enter(server: PlanMcpServer, call: McpUser): Entry {
    const name = `${server.name}@${call.environment.name}`;
    const key = `${name}#${digestOf([server, secretsOf(server, call)])}`;
    const known = this.entries.get(key);
    if (known) return known;
    for (const entry of this.entries.values()) if (entry.name === name) this.retire(entry);
    const abandon = new AbortController();
    const connecting = connectMcp(server, call, this.host, abandon.signal);
    const entry: Entry = { name, connecting, connected: false, answered: false, users: 0, abandon, replaced: false };
    this.entries.set(key, entry);
    const forget = (): void => this.forget(entry);
    connecting.then(({ client }) => {
      entry.connected = true;
      client.onclose = forget;
    }, forget);
    return entry;
  }

  private forget(entry: Entry): void {
    for (const [key, other] of this.entries) if (other === entry) this.entries.delete(key);
  }

  /** The next call gets a new connection; this one closes after its last call. */
  private retire(entry: Entry): void {
    this.forget(entry);
    entry.replaced = true;
    if (entry.users === 0) this.closeLater(entry);
  }

  /** No call waits for the end of an unused connection. */
  private closeLater(entry: Entry): void {
    closeWhenOpen(entry.connecting).catch((error: unknown) => this.host.onLeft?.(error));
  }
}
