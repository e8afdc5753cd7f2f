import { isRepeatable } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { listsInside } from '../../definitions/step-lists.js';
import { findingOf } from '../../planning/finding-of.js';
import { type DefinedStep, walkSteps } from '../../planning/steps/walk-steps.js';
import { formatDuration, isDuration, parseDuration } from '../../rules/duration.js';
import type { LintedProject } from '../linted-project.js';
import { UncutCalls } from './uncut-calls.js';

/** What may end a call at work, and how to keep it from that. */
interface Cutter {
  what: string;
  fix: string;
}

/**
 * Finds calls that must not be cut where something may cut them: their outcome would not be known then, and that of the task
 * neither; and `cut: allowed` where a cut loses nothing. Source: docs/architecture.md#the-way-of-a-task.
 */
export function* checkCutCalls({ registry }: LintedProject): Generator<Finding> {
  const uncut = new UncutCalls(registry);
  for (const workflow of registry.workflows.values()) {
    const around: DefinedStep[] = [];
    for (const defined of walkSteps(workflow.value)) {
      while (around.length > 0 && !isInside(defined.path, around.at(-1)?.path ?? [])) around.pop();
      yield* cutsOf(defined, around, workflow, uncut);
      yield* idleCut(defined, workflow, registry);
      around.push(defined);
    }
  }
}

function* cutsOf(
  { id, step, path }: DefinedStep,
  around: readonly DefinedStep[],
  workflow: Loaded<HighLevel>,
  uncut: UncutCalls,
): Generator<Finding> {
  if (step.verb !== 'call') return;
  const found = uncut.in(step);
  if (!found) return;
  const inner = found.key === step.call ? '' : `, which calls ${found.key}`;
  const said = `\`${id}\` calls ${step.call}${inner} (${found.effects})`;
  for (const { what, fix } of cuttersOf({ path, around, own: step.timeout, found })) {
    yield findingOf('lint.call_cut', `${said}, and ${what}`, workflow.locate([...path, 'call']), fix);
  }
}

interface Spot {
  path: PropertyKey[];
  around: readonly DefinedStep[];
  own: string | undefined;
  found: { limitMs: number; writtenMs: number };
}

/** From the inside out. What stands in a `finally` is out of the reach of all that is around it. */
function* cuttersOf({ path, around, own, found }: Spot): Generator<Cutter> {
  if (own !== undefined && isShorter(own, found.writtenMs)) {
    const what = `its \`timeout: ${own}\` cuts it, though its implementation may take ${formatDuration(found.writtenMs)}`;
    yield {
      what,
      fix: `Raise the \`timeout\` to ${formatDuration(found.writtenMs)}, or write \`cut: allowed\` beside it.`,
    };
  }
  for (const outer of [...around].reverse()) {
    const part = path[outer.path.length];
    if (part === 'finally') return;
    // What deals with a failure comes after the time, and after the others, of its step.
    if (part === 'on_error') continue;
    yield* cutter(outer, found.limitMs);
  }
}

function* cutter({ id, step }: DefinedStep, limitMs: number): Generator<Cutter> {
  if (step.verb === 'race' && Object.keys(step.race).length > 1) {
    const what = `the race \`${id}\` cuts it when another branch ends first`;
    yield { what, fix: `Move the call after the race, or write \`cut: allowed\` at it.` };
  }
  if (runsAtOnce(step) && 'on_failure' in step && step.on_failure === 'cancel') {
    const what = `\`on_failure: cancel\` of \`${id}\` cuts it when something beside it fails`;
    yield { what, fix: 'Write `on_failure: finish` or `stop` there, or `cut: allowed` at the call.' };
  }
  if (step.timeout !== undefined && isShorter(step.timeout, limitMs)) {
    const what = `\`timeout: ${step.timeout}\` of \`${id}\` cuts it, though it may take ${formatDuration(limitMs)}`;
    yield { what, fix: `Raise that \`timeout\`, move the call out, or write \`cut: allowed\` at it.` };
  }
}

function runsAtOnce(step: StepDefinition): boolean {
  const [list] = listsInside(step);
  const most = 'max_parallel' in step ? step.max_parallel : undefined;
  if (list?.part === 'branch') return list.steps.length > 1 && most !== 1;
  return list?.part === 'item' && most !== undefined && most !== 1;
}

function isShorter(text: string, ms: number): boolean {
  return isDuration(text) && parseDuration(text) < ms;
}

function isInside(path: PropertyKey[], outer: PropertyKey[]): boolean {
  return path.length > outer.length && outer.every((part, index) => path[index] === part);
}

function* idleCut({ step, path }: DefinedStep, from: Loaded<HighLevel>, { operations }: Registry): Generator<Finding> {
  if (step.verb !== 'call' || !step.cut) return;
  const effects = operations.get(step.call)?.value.effects;
  if (!effects || !isRepeatable(effects)) return;
  const message = `${step.call} is \`${effects}\`, so that nothing is lost when it is cut`;
  yield findingOf('lint.cut_idle', message, from.locate([...path, 'cut'], 'key'));
}
