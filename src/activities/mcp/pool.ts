import type { PlanMcpServer } from '../../contracts/plan.js';
import { digestOf } from '../../rules/canonical.js';
import type { CallInput } from '../call-input.js';
import { connectMcp, type McpConnection } from './connection.js';

/** A connection and the calls that use it now. */
interface Entry {
  name: string;
  connecting: Promise<McpConnection>;
  users: number;
  /** Another configuration of the same server has taken its place. */
  replaced: boolean;
}

/**
 * Connections to MCP servers, shared by all calls of a worker: one a server, environment and configuration.
 *
 * A server that dies is started again by the next call; one whose configuration or secrets changed is closed when its
 * last call is done.
 */
export class McpPool {
  private readonly entries = new Map<string, Entry>();

  constructor(private readonly root: string) {}

  /** Uses a connection for the time of one call. */
  async use<T>(server: PlanMcpServer, call: CallInput, action: (connection: McpConnection) => Promise<T>): Promise<T> {
    const entry = this.enter(server, call);
    entry.users += 1;
    try {
      return await action(await entry.connecting);
    } finally {
      entry.users -= 1;
      if (entry.replaced && entry.users === 0) close(entry);
    }
  }

  /** Closes all connections, at the end of a worker. */
  async close(): Promise<void> {
    const open = [...this.entries.values()];
    this.entries.clear();
    await Promise.all(open.map(close));
  }

  private enter(server: PlanMcpServer, call: CallInput): Entry {
    const name = `${server.name}@${call.environment.name}`;
    const key = `${name}#${digestOf([server, secretsOf(server, call)])}`;
    const known = this.entries.get(key);
    if (known) return known;
    for (const [other, entry] of this.entries) if (entry.name === name) this.retire(other, entry);
    const entry: Entry = { name, connecting: connectMcp(server, call, this.root), users: 0, replaced: false };
    this.entries.set(key, entry);
    const forget = (): void => {
      if (this.entries.get(key) === entry) this.entries.delete(key);
    };
    entry.connecting.then(({ client }) => (client.onclose = forget), forget);
    return entry;
  }

  private retire(key: string, entry: Entry): void {
    this.entries.delete(key);
    entry.replaced = true;
    if (entry.users === 0) close(entry);
  }
}

function close(entry: Entry): Promise<void> {
  return entry.connecting.then(
    (connection) => connection.close(),
    () => {},
  );
}

/** What the references of a server stand for now; it was started with what they stood for then. */
function secretsOf(server: PlanMcpServer, { secrets }: CallInput): string[] {
  const references = server.transport === 'stdio' ? server.env.secrets : server.credentials;
  return Object.entries(references).map(([name, reference]) => secrets.resolve(reference, `secret ${name}`));
}
