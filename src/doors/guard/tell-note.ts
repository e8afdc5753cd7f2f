import { projectEnvironments } from '../../activities/session/project-environments.js';
import { tellSession } from '../../activities/session/tell-session.js';
import { connect } from '../../client/connect.js';
import { checkSessionId } from '../../client/session-ids.js';
import { loadRegistry } from '../../definitions/load-registry.js';
import type { SealKeys } from '../../planning/seal.js';
import { chooseServer } from '../../server/connection-settings.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import { readLivingRuntime } from '../../server/runtime-file.js';
import { KeyFolder, keysFromEnvironment } from '../../worker/seal-keys.js';
import { accessSessions } from '../../worker/session-access.js';
import type { SessionNote } from './note-session.js';

/**
 * Tells a session of an answer, in a word that is signed with the project's seal key. Starts no runtime for it.
 *
 * @throws AbilityError where the server, the session or the key is missing; nobody waits for it.
 */
export async function tellNote({ root, session, answer }: SessionNote, env: NodeJS.ProcessEnv): Promise<void> {
  const paths = pathsOf(root);
  const isRemote = (await chooseServer({}, env)) !== undefined;
  if (!isRemote && !readLivingRuntime(paths)) return;
  const { project } = loadRegistry(root).project;
  const connection = await connect({ root, project, env });
  try {
    const sessions = accessSessions(connection.temporal, project, projectEnvironments(root));
    const keys = keysOf(paths, env);
    await tellSession(checkSessionId(session), { kind: 'tool', answer }, { project, keys, sessions });
  } finally {
    await connection.close();
  }
}

function keysOf({ keys }: ProjectPaths, { ABILITY_SEAL_KEYS: given }: NodeJS.ProcessEnv): SealKeys {
  return given ? keysFromEnvironment(given) : new KeyFolder(keys);
}
