import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { connectWithin } from '../../client/index.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { pathsOf } from '../../server/project-paths.js';
import { keepTouching } from '../../server/runtime/keep-touching.js';
import { readRuntimeFile } from '../../server/runtime/runtime-file.js';
import { listenPrivately } from '../../server/runtime/runtime-socket.js';
import { log } from '../../worker/logger.js';
import type { RuntimeDoor } from '../../worker/runtime.js';
import { Connections } from '../http/connections.js';
import type { HttpDoor } from '../http/http-door.js';
import { COMMANDS_PATH } from './command-protocol.js';

export interface DoorPlace {
  root: string;
  /** The environment of the runtime process. */
  env: NodeJS.ProcessEnv;
  runtime: RuntimeFile;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Opens the door of a project's own runtime on a Unix socket: the routes of `ability serve`, and typed commands. */
export async function openRuntimeDoor(place: DoorPlace): Promise<RuntimeDoor> {
  const { root, env, runtime } = place;
  const paths = pathsOf(root);
  const closing = new AbortController();
  const loader = new RegistryLoader(root, env);
  const connections = new Connections(() =>
    connectWithin({ root, project: runtime.project ?? '', env, signal: closing.signal }, runtime),
  );
  const use: HttpDoor['ask'] = (action) => connections.use(action);
  const commands = once(async (): Promise<Handler> => {
    const { commandTaker } = await import('./take-commands.js');
    return commandTaker({ runtime, loader, use });
  });
  const routes = once(async (): Promise<Handler> => {
    const { openRoutes } = await import('./open-routes.js');
    return openRoutes(place, { loader, use, closing: closing.signal });
  });
  // The request stays open while its command waits for a task, and carries later signals.
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const stopTouching = keepTouching(paths, env);
    response.on('close', stopTouching);
    const load = request.method === 'POST' && request.url === COMMANDS_PATH ? commands : routes;
    load()
      .then((handle) => handle(request, response))
      .catch((error: unknown) => {
        log.error({ err: error }, 'a request failed');
        response.destroy();
      });
  });
  const socket = await listenPrivately(server, paths, readRuntimeFile(paths)?.socket);
  return {
    socket: socket?.path,
    async close() {
      closing.abort();
      socket?.remove();
      server.close();
      server.closeAllConnections();
      await connections.close();
    },
  };
}

/** Loads on first use; after a failure, the next use loads again. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
