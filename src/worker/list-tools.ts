import { CallLog } from '../activities/call/call-log.js';
import type { JsonObject } from '../contracts/json.js';
import type { PlanMcpServer } from '../contracts/plan.js';
import { AbilityError, reasonOf } from '../contracts/problem.js';
import { referencesOf } from '../kinds/kind.js';
import { connectMcp } from '../kinds/mcp/call/connection.js';
import type { ReadTool } from '../kinds/mcp/call/listed-tools.js';
import { definitionOf, toolDigest } from '../kinds/mcp/call/listed-tools.js';
import { failureOf } from '../kinds/mcp/call/mcp-failure.js';
import { signalWithin } from '../rules/any-abort-signal.js';
import { refuseUnsafeKeys } from '../rules/unsafe-keys.js';
import { pathsOf } from '../server/project-paths.js';
import { RunningGroups } from './running-groups.js';
import { openWorkerSecrets } from './worker-secrets.js';

/** A tool as its server describes it. */
export interface ListedTool {
  name: string;
  /** Its pinned parts: name, title, description, inputSchema, outputSchema, annotations. */
  definition: JsonObject;
  /** SHA-256 of the canonical JSON of its definition. */
  digest: string;
  /** Whether it must, may or cannot be called as a task of MCP. */
  taskSupport: string;
}

/** A tool of which only the name can be read. */
export interface UnreadableTool {
  name: string;
  fault: string;
}

/** What a server says of itself. */
export interface ListedServer {
  tools: (ListedTool | UnreadableTool)[];
  /** Whether it keeps a session for a connection. */
  hasSession: boolean;
}

/** Options of {@link listTools}. */
export interface ListOptions {
  /** Absolute path of the project. */
  root: string;
  /** The environment whose secrets the server gets. */
  environment: string;
  timeoutMs: number;
  signal: AbortSignal;
  /** Source of the secrets; omitted: the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Lists the tools of an MCP server, started or reached as by a worker. @throws AbilityError `mcp.start_failed`
 * with the tail of stderr, `config.missing_credential`, `denied.host`.
 */
export async function listTools(
  server: PlanMcpServer,
  { root, environment, timeoutMs, signal, env }: ListOptions,
): Promise<ListedServer> {
  const log = new CallLog(undefined, '', 1);
  const late = `it did not say within ${timeoutMs} ms what its tools are`;
  const { signal: stop, release } = signalWithin(timeoutMs, [signal], late);
  const groups = new RunningGroups(pathsOf(root).running);
  const { secrets, close } = openWorkerSecrets(root, groups, env);
  try {
    const references = server.transport === 'stdio' ? server.env.secrets : server.credentials;
    const user = {
      environment: { name: environment },
      secrets: await secrets(environment).read(referencesOf(references, 'secret'), stop),
      log,
      stop,
      timeoutMs,
    };
    const connection = await connectMcp(server, user, { root, groups }, stop, timeoutMs);
    try {
      const what = `The MCP server ${server.name}`;
      const tools = await connection.askTools(user).catch((error: unknown) => {
        throw failureOf(error, { what, connection, user, called: false });
      });
      return { tools: tools.all().map(pinnable), hasSession: connection.hasSession };
    } finally {
      await connection.close();
    }
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    throw new AbilityError(log.maskProblem(error.toProblem()), { cause: error });
  } finally {
    release();
    close();
    groups.close();
  }
}

function pinnable(read: ReadTool): ListedTool | UnreadableTool {
  const { name } = read;
  if ('fault' in read) return { name, fault: read.fault };
  const { tool } = read;
  try {
    const definition = definitionOf(tool);
    refuseUnsafeKeys(definition);
    return { name, definition, digest: toolDigest(tool), taskSupport: tool.execution?.taskSupport ?? 'forbidden' };
  } catch (error) {
    return { name, fault: reasonOf(error) };
  }
}
