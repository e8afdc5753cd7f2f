import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectWithin } from '../../client/index.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { readJson } from '../../disk/read-json.js';
import { writeWhole } from '../../disk/write-files.js';
import { type ProjectPaths, pathsOf } from '../../server/project-paths.js';
import { keepTouching } from '../../server/runtime/keep-touching.js';
import { readRuntimeFile } from '../../server/runtime/runtime-file.js';
import { listenPrivately } from '../../server/runtime/runtime-socket.js';
import { LOOPBACK } from '../../server/temporal/ports.js';
import { log } from '../../worker/logger.js';
import type { RuntimeDoor } from '../../worker/runtime.js';
import { Connections } from '../http/connections.js';
import type { HttpDoor } from '../http/http-door.js';

export interface DoorPlace {
  root: string;
  /** The environment of the runtime process. */
  env: NodeJS.ProcessEnv;
  runtime: RuntimeFile;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Opens the door of a project's own runtime on a Unix socket: the routes of `ability serve`. */
export async function openRuntimeDoor(place: DoorPlace): Promise<RuntimeDoor> {
  const { root, env, runtime } = place;
  const paths = pathsOf(root);
  const closing = new AbortController();
  const loader = new RegistryLoader(root, env);
  const connections = new Connections(async () => {
    const { ownDefinitions } = await import('../../planning/resolve/own-definitions.js');
    // Without them, a task may begin on the other queue of its environment, and go on as a second run.
    const definitions = ownDefinitions(() => loader.load());
    return connectWithin({ root, project: runtime.project ?? '', env, definitions, signal: closing.signal }, runtime);
  });
  const use: HttpDoor['ask'] = (action) => connections.use(action);
  const routes = once(async () => {
    const { openRoutes } = await import('./open-routes.js');
    const pages = { openPage: () => page.open(), pageAddress: () => page.address };
    return openRoutes(place, { loader, use, closing: closing.signal, ...pages });
  });
  const handleWith =
    (which: 'socket' | 'page'): Handler =>
    (request, response) => {
      const stopTouching = keepTouching(paths, env);
      response.on('close', stopTouching);
      routes()
        .then((handlers) => handlers[which](request, response))
        .catch((error: unknown) => {
          log.error({ err: error }, 'a request failed');
          response.destroy();
        });
    };
  const page = new PageListener(paths, handleWith('page'));
  // A request stays open while its caller watches a task.
  const server = createServer({ requestTimeout: 0 }, handleWith('socket'));
  const socket = await listenPrivately(server, paths, readRuntimeFile(paths)?.socket);
  await page.resume();
  return {
    socket: socket?.path,
    async close() {
      closing.abort();
      socket?.remove();
      page.close();
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

/**
 * The loopback port of the page. A project that has opened it keeps its port, so that a page that is open goes on with the
 * next runtime.
 */
class PageListener {
  private server: Server | undefined;

  constructor(
    private readonly paths: Pick<ProjectPaths, 'page'>,
    private readonly handle: Handler,
  ) {}

  /** Listens again where the page was open before; does nothing if it never was, or its port is taken. */
  async resume(): Promise<void> {
    const port = this.portBefore();
    if (port !== undefined) await this.listen(port).catch(() => {});
  }

  /** Such as `http://127.0.0.1:7231`; undefined while it is not open. */
  get address(): string | undefined {
    const bound = this.server?.address() as AddressInfo | null | undefined;
    return bound ? `http://${LOOPBACK}:${bound.port}` : undefined;
  }

  /** @returns its address. @throws Error if no port is free. */
  async open(): Promise<string> {
    if (!this.server) {
      const before = this.portBefore();
      await this.listen(before ?? 0).catch((error: unknown) => {
        if (before === undefined) throw error;
        return this.listen(0);
      });
    }
    const { port } = (this.server as Server).address() as AddressInfo;
    writeWhole(this.paths.page, `${JSON.stringify({ port })}\n`, 0o600);
    return this.address as string;
  }

  close(): void {
    this.server?.close();
    this.server?.closeAllConnections();
  }

  private portBefore(): number | undefined {
    const { port } = readJson<{ port?: unknown }>(this.paths.page) ?? {};
    return typeof port === 'number' && Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
  }

  private listen(port: number): Promise<void> {
    // A view follows its tasks for as long as it is open.
    const server = createServer({ requestTimeout: 0 }, this.handle);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, LOOPBACK, () => {
        this.server = server;
        resolve();
      });
    });
  }
}
