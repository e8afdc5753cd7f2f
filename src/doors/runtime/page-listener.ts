import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readJson } from '../../disk/read-json.js';
import { writeWhole } from '../../disk/write-whole.js';
import type { ProjectPaths } from '../../server/project-paths.js';
import { LOOPBACK } from '../../server/temporal/ports.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The loopback port of the page. A project that has opened it keeps its port, so that a page that is open goes on with the
 * next runtime.
 */
export class PageListener {
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
