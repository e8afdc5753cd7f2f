import { once } from 'node:events';
import { createServer } from 'node:http';
import { AbilityError, reasonOf } from '../contracts/problem.js';

/**
 * Answers each request, for probes of Docker, Kubernetes or a load balancer: 200 while this worker can take work, else
 * 503. @returns stops it. @throws AbilityError `door.not_listening`.
 */
export async function serveHealth(address: string, isHealthy: () => Promise<boolean>): Promise<() => void> {
  let looking: Promise<boolean> | undefined;
  const look = (): Promise<boolean> => {
    looking ??= isHealthy()
      .catch(() => false)
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const server = createServer(async (_, response) => {
    const isWell = await look();
    const body = JSON.stringify({ status: isWell ? 'ok' : 'unavailable' });
    response.writeHead(isWell ? 200 : 503, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(body);
  });
  const { hostname, port } = new URL(`http://${address}`);
  try {
    server.listen(Number(port || 80), hostname.replace(/^\[|\]$/g, ''));
    await once(server, 'listening');
  } catch (error) {
    const message = `The worker cannot serve its health at ${address}: ${reasonOf(error)}`;
    const suggestion = 'Choose another address for --health.';
    throw new AbilityError({ code: 'door.not_listening', message, suggestion }, { cause: error });
  }
  return () => {
    server.close();
    server.closeAllConnections();
  };
}
