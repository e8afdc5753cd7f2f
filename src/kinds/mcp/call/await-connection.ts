import { CallFailure } from '../../../activities/call/call-failure.js';
import type { PlanMcpServer } from '../../../contracts/plan.js';
import type { McpConnection } from './connection.js';
import type { McpUser } from './open-transport.js';

/** Waits for a connection, which other calls may share, until this call has to stop. */
export function whileItMay(connecting: Promise<McpConnection>, { stop, timeoutMs }: McpUser, name: string) {
  return new Promise<McpConnection>((resolve, reject) => {
    const giveUp = (): void => {
      const message = `The MCP server ${name} did not start within ${timeoutMs} ms`;
      reject(new CallFailure({ code: 'timeout.call', message }));
    };
    if (stop.aborted) giveUp();
    stop.addEventListener('abort', giveUp, { once: true });
    connecting.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp));
  });
}

/** Current values of a server's secrets. A running server may have older ones; callers mask both. */
export function secretsOf(server: PlanMcpServer, { secrets, log }: McpUser): string[] {
  const references = server.transport === 'stdio' ? server.env.secrets : server.credentials;
  return Object.entries(references).map(([name, reference]) => {
    const value = secrets.resolve(reference, `secret ${name}`);
    log.hide(value);
    return value;
  });
}
