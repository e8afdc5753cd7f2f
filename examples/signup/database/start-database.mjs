/** The database of the example: a real PostgreSQL engine, so that SQL, drivers and errors are what they are at work. */
import { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import { takeTurns } from './take-turns.mjs';

/** Scripts, the service and tests connect at once; the socket server takes only one by default. */
const MOST_CONNECTIONS = 50;

/**
 * Starts PostgreSQL embedded in this process, on a free loopback port, or takes the server `DATABASE_URL` names.
 *
 * All connections of the embedded one share one session, by turns: keep transactions short, because an open one makes
 * all others wait. The data outlives the process, since making a new database takes seconds and opening an old one
 * half of one.
 *
 * @param {string} folder where the embedded one keeps its data; no other process may use it meanwhile.
 * @returns {Promise<{ url: string, stop(): Promise<void> }>}
 */
export async function startDatabase(folder) {
  const own = process.env.DATABASE_URL;
  if (own) return { url: own, stop: async () => {} };
  const db = await PGlite.create(folder);
  const server = new PGLiteSocketServer({ db, host: '127.0.0.1', port: 0, maxConnections: MOST_CONNECTIONS });
  await server.start();
  const { port, stop } = await takeTurns(Number(server.getServerConn().split(':').at(-1)));
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    async stop() {
      stop();
      await server.stop();
      await db.close();
    },
  };
}
