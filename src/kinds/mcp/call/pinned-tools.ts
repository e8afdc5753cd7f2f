import type { Tool } from '@modelcontextprotocol/client';
import { CallFailure } from '../../../activities/call/call-failure.js';
import { CallLog } from '../../../activities/call/call-log.js';
import type { ByteStore } from '../../../activities/processes/pinned-scripts.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { McpImplementation, Plan, PlanOperation } from '../../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../../contracts/problem.js';
import { findPinned } from '../../../definitions/read-imports.js';
import { guardAbilitiesOf, withGuardAbilities } from '../../../planning/hooks/hook-parts.js';
import type { SecretSource } from '../../../planning/secrets/secret-source.js';
import { signalWithin } from '../../../rules/any-abort-signal.js';
import { canonicalJson } from '../../../rules/canonical.js';
import { describeDifference } from '../../../text/value-differences.js';
import { compareTools, definitionOf, toolDigest } from './listed-tools.js';
import { findTool } from './mcp-failure.js';
import type { McpUser } from './open-transport.js';
import type { McpPool } from './pool.js';
import { maskedReason } from './reason-of.js';

export interface PinnedPlan {
  plan: Plan;
  warnings: string[];
}

export interface PinningCall {
  secrets: SecretSource;
  signal: AbortSignal;
}

type McpOperation = PlanOperation & { implementation: McpImplementation };

/** Time limit for a server to list its tools while a task is planned. */
const PIN_MS = 10_000;

/**
 * The tools of plans, as their servers described them when the plans were made. A plan holds each tool's digest,
 * the store its description, so that a change can be shown. Source: docs/operations.md#safety; docs/guide.md#mcp;
 * docs/imports.md#an-mcp-server.
 */
export class PinnedTools {
  constructor(
    private readonly pool: McpPool,
    private readonly store: ByteStore,
    /** Root of the project, whose imports contain the tools as they were when imported. */
    private readonly root: string,
  ) {}

  /**
   * Pins the tools a plan may call, including those of its hooks' abilities, as this worker's servers describe them
   * now. A tool that its definition pins must match the pin. An unavailable tool (server down, or not listed yet) is
   * a warning; unless its definition pins it, it is then not compared when it is called.
   * @throws AbilityError `mcp.definition_changed` for a tool that differs from its definition's pin;
   * `mcp.not_pinned` for an unavailable one without a pin, in a protected environment.
   */
  async pin(plan: Plan, call: PinningCall): Promise<PinnedPlan> {
    const used = [...Object.values(plan.operations), ...guardAbilitiesOf(plan)].filter(callsTool);
    if (used.length === 0) return { plan, warnings: [] };
    // Abilities may share a guard; its tool is checked once.
    const different = new Map(used.map((operation) => [identityOf(operation), operation]));
    const warnings: string[] = [];
    const pinned = new Map(
      await Promise.all(
        [...different].map(async ([identity, operation]) => {
          return [identity, await this.pinOne(operation, plan, call, warnings)] as const;
        }),
      ),
    );
    const pin = (operation: PlanOperation): PlanOperation => {
      const digest = callsTool(operation) ? pinned.get(identityOf(operation)) : undefined;
      return digest === undefined ? operation : withPin(operation as McpOperation, digest);
    };
    const operations = Object.fromEntries(Object.entries(plan.operations).map(([key, each]) => [key, pin(each)]));
    return { plan: withGuardAbilities({ ...plan, operations }, pin), warnings };
  }

  /** @returns the digest of the tool; undefined if it is unavailable or its definition pins it. */
  private async pinOne(
    operation: McpOperation,
    plan: Plan,
    call: PinningCall,
    warnings: string[],
  ): Promise<string | undefined> {
    const { tool, problem } = await this.look(operation, plan, call);
    const { pinned: promised, tool: name } = operation.implementation.mcp;
    // The later lines are the server's stderr, which its call reports.
    const [reason] = (problem?.message ?? '').split('\n', 1);
    if (promised !== undefined) {
      if (tool) await this.compare(operation.implementation, tool);
      else {
        const when = 'when it is called, it is compared with what was imported';
        warnings.push(`${operation.key}: ${name} cannot be inspected now; ${when}: ${reason}`);
      }
      await this.keepImported(promised);
      return undefined;
    }
    if (problem && plan.environment.protected) throw notPinned(operation, problem);
    if (problem) {
      const unseen = `a change to ${name} before it is called will not be detected`;
      warnings.push(`${operation.key} is not pinned, so ${unseen}: ${reason}`);
    }
    const lost = tool && (await this.keep(tool));
    if (lost) warnings.push(lost);
    return tool && toolDigest(tool);
  }

  /** @throws CallFailure `mcp.definition_changed` with the difference, before the tool is called. */
  async compare({ mcp }: McpImplementation, tool: Tool): Promise<void> {
    const { pinned, server } = mcp;
    if (pinned === undefined || toolDigest(tool) === pinned) return;
    const before = await this.find(pinned);
    const { changes, more } = before ? compareTools(before, definitionOf(tool)) : { changes: [], more: 0 };
    const difference = before
      ? [...changes.map(describeDifference), ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
      : 'The pinned description is not in the store, so the difference cannot be shown.';
    throw new CallFailure({
      code: 'mcp.definition_changed',
      message: `The MCP server ${server.name} no longer describes ${tool.name} as it did when the tool was pinned; it was not called\n${difference}`,
      details: { pinned, found: toolDigest(tool), changes, ...(more > 0 && { more }) },
      suggestion: `Read the difference. If the tool is still what you want, run \`ability import mcp ${server.name}\` if it was imported, then create the task again or run \`ability task retry\`.`,
    });
  }

  private async look(
    { implementation: { mcp, timeout_ms } }: McpOperation,
    { environment }: Plan,
    { secrets, signal }: PinningCall,
  ): Promise<{ tool?: Tool; problem?: AbilityError }> {
    const log = new CallLog(undefined, '', 1);
    const timeoutMs = Math.min(timeout_ms, PIN_MS);
    const limit = signalWithin(timeoutMs, [signal]);
    const user: McpUser = { environment, secrets, log, stop: limit.signal, timeoutMs };
    try {
      return { tool: await this.pool.use(mcp.server, user, (connection) => findTool(mcp, connection, user)) };
    } catch (error) {
      // Such as one that is nested too deeply.
      const message = `Its list of tools cannot be read: ${maskedReason(error, log)}`;
      const problem = error instanceof AbilityError ? error.toProblem() : { code: 'mcp.output_invalid', message };
      return { problem: new AbilityError(log.maskProblem(problem), { cause: error }) };
    } finally {
      limit.release();
    }
  }

  /** @returns a warning if the description cannot be stored. */
  private async keep(tool: Tool): Promise<string | undefined> {
    try {
      await this.store.put(Buffer.from(canonicalJson(definitionOf(tool))));
      return undefined;
    } catch (error) {
      const reason = reasonOf(error);
      return `The description of ${tool.name} could not be stored (${reason}); a change to it would be detected, but could not be shown`;
    }
  }

  /** The next import may replace the description, and tasks under way need it to show a change. */
  private async keepImported(digest: string): Promise<void> {
    const text = findPinned(this.root, digest);
    // If it cannot be kept, the import still has it.
    if (text) await this.store.put(Buffer.from(canonicalJson(text))).catch(() => {});
  }

  private async find(digest: string): Promise<JsonObject | undefined> {
    try {
      return JSON.parse(Buffer.from(await this.store.get(digest)).toString('utf8')) as JsonObject;
    } catch {
      return findPinned(this.root, digest);
    }
  }
}

function callsTool(operation: PlanOperation): operation is McpOperation {
  return operation.implementation.kind === 'mcp';
}

/** Equal for two operations that call the same tool in the same way. */
function identityOf({ key, implementation }: McpOperation): string {
  return canonicalJson([key, implementation.mcp as unknown as JsonObject]);
}

function withPin(operation: McpOperation, pinned: string): McpOperation {
  const { implementation } = operation;
  return { ...operation, implementation: { ...implementation, mcp: { ...implementation.mcp, pinned } } };
}

function notPinned({ key, implementation: { mcp } }: McpOperation, problem: AbilityError): AbilityError {
  return new AbilityError(
    {
      code: 'mcp.not_pinned',
      message: `${key} cannot be pinned, and the environment is protected: ${problem.message}`,
      details: { server: mcp.server.name, tool: mcp.tool, seen: problem.code },
      suggestion:
        problem.suggestion ?? `Make sure that the MCP server ${mcp.server.name} is up, and create the task again.`,
    },
    { cause: problem },
  );
}
