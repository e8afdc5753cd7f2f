import { once } from 'node:events';
import { createServer } from 'node:http';
import { AbilityError, reasonOf } from '../contracts/problem.js';

/**
 * Answers probes of Docker, Kubernetes or a load balancer: 200 while this worker can take work, else 503.
 * @returns stops it. @throws AbilityError `door.not_listening`.
 */
export async function serveHealth(address: string, isHealthy: () => Promise<boolean>): Promise<() => void> {
  const server = createServer(async (_, response) => {
    const isWell = await isHealthy().catch(() => false);
    response.writeHead(isWell ? 200 : 503, { 'content-type': 'application/json', connection: 'close' });
    response.end(JSON.stringify({ status: isWell ? 'ok' : 'unavailable' }));
  });
  const { hostname: host, port } = new URL(`tcp://${address}`);
  try {
    await once(server.listen(Number(port), host.replace(/^\[|\]$/g, '')), 'listening');
  } catch (error) {
    const message = `The worker cannot serve its health at ${address}: ${reasonOf(error)}`;
    const suggestion = 'Choose another address for --health.';
    throw new AbilityError({ code: 'door.not_listening', message, suggestion }, { cause: error });
  }
  return () => server.close();
}
