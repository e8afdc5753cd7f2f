import { type Effect, isRepeatable } from '../../contracts/effects.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { StepOf } from '../../definitions/formats/steps.js';
import type { Registry } from '../../definitions/registry.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { walkSteps } from '../../planning/steps/walk-steps.js';
import { isDuration, parseDuration } from '../../rules/duration.js';

/** What a call may take where nobody wrote it. Milliseconds. Source: docs/operations.md#limits. */
const USUAL_MS = 60_000;

/** A call that must not be cut. */
export interface UncutCall {
  key: string;
  effects: Effect;
  /** What the call may take. Milliseconds. */
  limitMs: number;
  /** What is written that its implementation may take; 0 where nothing is. Milliseconds. */
  writtenMs: number;
}

/** Finds what must not be cut among the calls of a project, in workflows that are called as well. */
export class UncutCalls {
  private readonly written = new Map<string, number>();
  private readonly children = new Map<string, UncutCall | undefined>();

  constructor(private readonly registry: Registry) {
    for (const { operation, body } of implementationBodies(registry)) {
      const ms = (secondsOf(body) ?? 0) * 1000;
      this.written.set(operation, Math.max(ms, this.written.get(operation) ?? 0));
    }
  }

  /** The call itself, or that of a workflow it calls which takes longest; undefined where a cut loses nothing. */
  in(step: StepOf<'call'>): UncutCall | undefined {
    if (step.cut) return undefined;
    const operation = this.registry.operations.get(step.call);
    if (!operation) return this.inWorkflow(step.call);
    const { effects } = operation.value;
    if (isRepeatable(effects)) return undefined;
    const writtenMs = this.written.get(step.call) ?? 0;
    const own = step.timeout !== undefined && isDuration(step.timeout) ? parseDuration(step.timeout) : undefined;
    return { key: step.call, effects, limitMs: own ?? Math.max(USUAL_MS, writtenMs), writtenMs };
  }

  private inWorkflow(id: string): UncutCall | undefined {
    if (this.children.has(id)) return this.children.get(id);
    // A workflow that calls itself is refused elsewhere, and must not be followed for ever.
    this.children.set(id, undefined);
    const workflow = this.registry.workflows.get(id);
    let longest: UncutCall | undefined;
    for (const { step } of workflow ? walkSteps(workflow.value) : []) {
      const found = step.verb === 'call' ? this.in(step) : undefined;
      if (found && (!longest || found.limitMs > longest.limitMs)) longest = { ...found, writtenMs: 0 };
    }
    this.children.set(id, longest);
    return longest;
  }
}

/** The time-out of an implementation, where one is written. */
export function secondsOf(body: ImplementationBody): number | undefined {
  if (body.kind === 'script') return body.script.timeout_sec;
  return body.kind === 'mcp' ? body.mcp.timeout_sec : body.api.timeout_sec;
}
