import { ulid } from 'ulid';
import type { MustDeny } from '../../../contracts/foreign-hooks.js';
import { reasonOf } from '../../../contracts/problem.js';
import type { ForeignHandler, HookEnvironment } from '../../../planning/hooks/foreign-guards.js';
import { digestOf } from '../../../rules/canonical.js';
import type { ScriptHookDependencies } from '../ask-script.js';
import { askForeign } from './ask-foreign.js';
import type { Verdict } from './read-verdict.js';
import { toolEvent } from './tool-event.js';

export interface Undenied extends MustDeny {
  /** The guard's actual answer, as in "it allows". */
  said: string;
}

/** Describes a guard that requests a person's approval instead of denying. */
export const ASKS = 'it asks for a person';

/**
 * Fires a guard with its `must_deny` calls.
 * @param max failures: a guard that hangs takes its timeout once. @returns the calls that it did not deny.
 */
export async function checkMustDeny(
  dependencies: ScriptHookDependencies,
  id: string,
  handler: ForeignHandler,
  environment: HookEnvironment,
  signal: AbortSignal,
  max = Number.POSITIVE_INFINITY,
): Promise<Undenied[]> {
  const undenied: Undenied[] = [];
  for (const call of handler.foreign.must_deny ?? []) {
    if (undenied.length >= max) break;
    const said = await saidTo(call, dependencies, id, handler, environment, signal);
    if (said !== undefined) undenied.push({ ...call, said });
  }
  return undenied;
}

/** Fires a guard with one call. @returns its answer, as in "it allows"; undefined: it denies. */
export async function saidTo(
  { ability, input, tool_name, tool_input }: MustDeny,
  dependencies: ScriptHookDependencies,
  id: string,
  handler: ForeignHandler,
  environment: HookEnvironment,
  signal: AbortSignal,
): Promise<string | undefined> {
  const event = handler.foreign.event ?? 'PreToolUse';
  // As in a task without a session: its ids do not reveal the trial to the guard, and neither do its arguments.
  const task = `t-${ulid().toLowerCase()}`;
  const around = { root: dependencies.root, session: task, call: `${task}/${ability}` };
  try {
    const verdict = await askForeign(dependencies, {
      id,
      handler,
      step: `hooks/must-deny.${id}`,
      event: toolEvent(event, { tool_name, tool_input }, around),
      question: { event, toolInput: tool_input, isClosed: handler.foreign.format === 'codex' },
      values: { input, environment, task: { key: task, ability } },
      signal,
      logs: undefined,
    });
    return saidInstead(verdict);
  } catch (error) {
    return `it fails: ${reasonOf(error)}`;
  }
}

function saidInstead(verdict: Verdict): string | undefined {
  if (verdict.kind === 'fault') return `it fails: ${verdict.fault}`;
  if (verdict.kind === 'silent') return 'it is silent';
  if (verdict.decision === 'deny') return undefined;
  return verdict.decision === 'allow' ? 'it allows' : ASKS;
}

/**
 * The guards that have denied their `must_deny` cases in this process, each version once: its key is its bytes,
 * its environment and its cases. A failed guard is tried again at its next call: a missing dependency may exist by
 * then.
 */
export class ProvenGuards {
  private readonly proven = new Set<string>();
  /** Proofs under way: calls that begin meanwhile wait for them. */
  private readonly running = new Map<string, Promise<Undenied[]>>();

  constructor(private readonly dependencies: ScriptHookDependencies) {}

  /** Why a guard counts as failed; undefined: it denies its `must_deny` cases, or has none. */
  async faultOf(
    id: string,
    handler: ForeignHandler,
    environment: HookEnvironment,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    if (!handler.foreign.must_deny) return undefined;
    const { script, timeout_ms } = handler;
    const { shown: _, ...foreign } = handler.foreign;
    const key = digestOf({ foreign, script, timeout_ms, environment });
    if (this.proven.has(key)) return undefined;
    const underWay = this.running.get(key);
    // Another call's proof may be aborted with that call; this one then starts its own.
    if (underWay) await underWay.catch(() => undefined);
    if (this.proven.has(key)) return undefined;
    const proof = checkMustDeny(this.dependencies, id, handler, environment, signal, 1);
    this.running.set(key, proof);
    try {
      const [first] = await proof;
      if (!first) this.proven.add(key);
      return first && faultOfUndenied(first);
    } finally {
      this.running.delete(key);
    }
  }
}

export function faultOfUndenied({ ability, tool_name, tool_input, said }: Undenied): string {
  const input = JSON.stringify(tool_input).slice(0, 200);
  return `it does not deny what it must deny (${ability}, shown as ${tool_name} ${input}): ${said}`;
}
