/** A project whose worker serves a real Temporal server on PostgreSQL; all three are restarted when they end. */

import { pause } from '../chaos/extent.js';
import { allOf, inTurn, type OpenSite, openConnection, superviseWorker } from '../chaos/sites.js';
import { makeProject, type ProjectFiles } from '../fixtures/project-folder.js';
import type { ServerPrograms } from './build-server.js';
import { type PostgresPrograms, startPostgres } from './postgresql.js';
import { startRealTemporal } from './real-temporal.js';

/** Opens the site. */
export async function openRealSite(
  files: ProjectFiles,
  { programs, postgres }: { programs: ServerPrograms; postgres: PostgresPrograms },
): Promise<OpenSite> {
  const folder = makeProject(files);
  const database = await startPostgres(postgres);
  const temporal = await startRealTemporal(programs, database).catch(async (error: unknown) => {
    await database.stop();
    throw error;
  });
  const worker = superviseWorker(folder, temporal.address);
  return {
    name: 'postgres',
    user: worker.user,
    victims: {
      worker: worker.pids,
      server: temporal.pids,
      database: database.pids,
      'server and database': () => allOf(temporal.pids(), database.pids()),
      everything: () => allOf(worker.pids(), temporal.pids(), database.pids()),
    },
    revive: inTurn(async () => {
      while (!(database.pids() && temporal.isServing() && worker.isServing())) {
        await database.start();
        await temporal.startAgain();
        await pause(50);
      }
    }),
    openConnection: () => openConnection(folder, temporal.address),
    async stop() {
      await worker.stop();
      await temporal.stop();
      await database.stop();
      folder.remove();
    },
  };
}
