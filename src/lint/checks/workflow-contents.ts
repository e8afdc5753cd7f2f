import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { WorkflowTypes } from '../types/workflow-types.js';
import { contractMistakes } from './calls.js';
import { expressionMistakes, type PlacedMistake } from './expressions.js';
import { orderMistakes, unreachableSteps } from './step-order.js';

/** What stands in the workflows, against the schemas of what they read and call, and against the order of their steps. */
export function* checkWorkflowContents({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* ofFile(workflow.file, () =>
      mistakesOf(registry, workflow).map((mistake) => placedFinding(workflow, mistake)),
    );
  }
}

/** Every mistake in a workflow, with its place in the definition. */
export function mistakesOf(registry: Registry, workflow: Loaded<HighLevel>): PlacedMistake[] {
  const types = new WorkflowTypes(registry, workflow);
  return [
    ...expressionMistakes(types),
    ...contractMistakes(types, registry),
    ...orderMistakes(types),
    ...unreachableSteps(types),
  ];
}

/** A mistake as a finding at its place in a definition. */
export function placedFinding(from: Loaded<unknown>, { code, message, fix, path, part }: PlacedMistake): Finding {
  return findingOf(code, message, from.locate(path, part), fix);
}
