import { createServer } from 'node:net';

/** The only address our servers listen on unless configured otherwise. */
export const LOOPBACK = '127.0.0.1';

/** The preferred port if it is free, so that links to the UI survive a restart; else any free one. */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await canListen(preferred)) === preferred) return preferred;
  const port = await canListen(0);
  if (port === undefined) throw new Error('no port is free');
  return port;
}

function canListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: LOOPBACK, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

export function portOf(address: string | undefined): number | undefined {
  const port = Number(/:(\d+)\/?$/.exec(address ?? '')?.[1]);
  return Number.isInteger(port) && port > 0 ? port : undefined;
}
