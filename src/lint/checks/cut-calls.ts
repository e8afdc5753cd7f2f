import { type Effect, isRepeatable } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import { loadedComposite } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition, StepOf } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { listsInside } from '../../definitions/step-lists.js';
import { writtenKindOf } from '../../kinds/kinds.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { allDefinedSteps, type DefinedStep, walkSteps } from '../../planning/steps/called-abilities.js';
import { formatDuration, isDuration, parseDuration } from '../../rules/duration.js';
import { memoize } from '../../text/memoize.js';
import type { LintedProject } from '../linted-project.js';

interface Cutter {
  what: string;
  fix: string;
}

/** Finds cuts with unknown outcome, needless `cut: allowed`. */
export function* checkCutCalls({ registry }: LintedProject): Generator<Finding> {
  const uncut = new UncutCalls(registry);
  for (const defined of allDefinedSteps(registry)) {
    yield* cutsOf(defined, defined.workflow, uncut);
    yield* idleCut(defined, defined.workflow, registry);
  }
}

function* cutsOf(defined: DefinedStep, workflow: Loaded<HighLevel>, uncut: UncutCalls): Generator<Finding> {
  const { id, step, path } = defined;
  if (step.verb !== 'call') return;
  const found = uncut.in(step);
  if (!found) return;
  const inner = found.key === step.call ? '' : `, which calls ${found.key}`;
  const said = `\`${id}\` calls ${step.call}${inner} (${found.effects})`;
  for (const { what, fix } of cuttersOf(defined, found)) {
    yield findingOf('lint.call_cut', `${said}, and ${what}`, workflow.locate([...path, 'call']), fix);
  }
}

/** From the innermost to the outermost. Nothing outside a `finally` can cut it. */
function* cuttersOf({ path, around, step: { timeout: own } }: DefinedStep, found: UncutCall): Generator<Cutter> {
  if (own !== undefined && isShorter(own, found.writtenMs)) {
    const needed = formatDuration(found.writtenMs);
    const what = `its \`timeout: ${own}\` cuts it, though its implementation may take ${needed}`;
    yield { what, fix: `Raise the \`timeout\` to ${needed}, or set \`cut: allowed\` beside it.` };
  }
  for (const outer of [...around].reverse()) {
    const part = path[outer.path.length];
    if (part === 'finally') return;
    // Failure handlers of a step run after its time limit and its branches.
    if (part === 'on_error') continue;
    yield* cutter(outer, found.limitMs);
  }
}

function* cutter({ id, step }: DefinedStep, limitMs: number): Generator<Cutter> {
  if (step.verb === 'race' && Object.keys(step.race).length > 1) {
    const what = `the race \`${id}\` cuts it when another branch ends first`;
    yield { what, fix: `Move the call after the race, or set \`cut: allowed\` on it.` };
  }
  if (runsAtOnce(step) && 'on_failure' in step && step.on_failure === 'cancel') {
    const what = `\`on_failure: cancel\` of \`${id}\` cuts it when something beside it fails`;
    yield { what, fix: 'Set `on_failure: finish` or `stop` there, or `cut: allowed` on the call.' };
  }
  if (step.timeout !== undefined && isShorter(step.timeout, limitMs)) {
    const what = `\`timeout: ${step.timeout}\` of \`${id}\` cuts it, though it may take ${formatDuration(limitMs)}`;
    yield { what, fix: `Raise that \`timeout\`, move the call out, or set \`cut: allowed\` on it.` };
  }
}

function runsAtOnce(step: StepDefinition): boolean {
  const [list] = listsInside(step);
  const max = 'max_parallel' in step ? step.max_parallel : undefined;
  if (list?.part === 'branch') return list.steps.length > 1 && max !== 1;
  return list?.part === 'item' && max !== undefined && max !== 1;
}

function isShorter(text: string, ms: number): boolean {
  return isDuration(text) && parseDuration(text) < ms;
}

function* idleCut({ step, path }: DefinedStep, from: Loaded<HighLevel>, { operations }: Registry): Generator<Finding> {
  if (step.verb !== 'call' || !step.cut) return;
  const effects = operations.get(step.call)?.value.effects;
  if (!effects || !isRepeatable(effects)) return;
  const message = `${step.call} is \`${effects}\`, so that nothing is lost when it is cut`;
  yield findingOf('lint.cut_idle', message, from.locate([...path, 'cut'], 'key'));
}

/** Default limit of a call. Milliseconds. */
export const USUAL_MS = 60_000;

interface UncutCall {
  key: string;
  effects: Effect;
  limitMs: number;
  /** Time-out of its implementation, in milliseconds; 0 if it has none. */
  writtenMs: number;
}

class UncutCalls {
  private readonly children = new Map<string, UncutCall | undefined>();

  constructor(private readonly registry: Registry) {}

  /** The call itself, or the longest such call of a called workflow or agent; undefined if it is safe to cut. */
  in({ call, cut, timeout }: Pick<StepOf<'call'>, 'call' | 'cut' | 'timeout'>): UncutCall | undefined {
    if (cut) return undefined;
    const operation = this.registry.operations.get(call);
    if (!operation) return this.inComposite(call);
    const { effects } = operation.value;
    if (isRepeatable(effects)) return undefined;
    const writtenMs = writtenLimits(this.registry).get(call) ?? 0;
    const own = timeout !== undefined && isDuration(timeout) ? parseDuration(timeout) : undefined;
    return { key: call, effects, limitMs: own ?? Math.max(USUAL_MS, writtenMs), writtenMs };
  }

  private inComposite(id: string): UncutCall | undefined {
    if (this.children.has(id)) return this.children.get(id);
    // Ends the recursion of an ability that calls itself, which another check refuses.
    this.children.set(id, undefined);
    let longest: UncutCall | undefined;
    for (const call of this.callsIn(id)) {
      const found = this.in(call);
      if (found && (!longest || found.limitMs > longest.limitMs)) longest = { ...found, writtenMs: 0 };
    }
    this.children.set(id, longest);
    return longest;
  }

  private callsIn(id: string): Pick<StepOf<'call'>, 'call' | 'cut' | 'timeout'>[] {
    const composite = loadedComposite(this.registry, id)?.value;
    if (composite?.type === 'agent') return composite.operations.map((call) => ({ call }));
    const steps = composite ? [...walkSteps(composite)] : [];
    return steps.flatMap(({ step }) => (step.verb === 'call' ? [step] : []));
  }
}

/** The longest `timeout_sec` of each operation's implementations, in milliseconds; 0 if none has one. */
export const writtenLimits = memoize((registry: Registry): ReadonlyMap<string, number> => {
  const limits = new Map<string, number>();
  for (const { operation, body } of implementationBodies(registry)) {
    limits.set(operation, Math.max((writtenKindOf(body).timeoutSec(body) ?? 0) * 1000, limits.get(operation) ?? 0));
  }
  return limits;
});
