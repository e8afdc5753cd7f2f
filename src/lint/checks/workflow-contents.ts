import type { Finding } from '../../contracts/findings.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { WorkflowTypes } from '../types/workflow-types.js';
import { contractDiagnostics } from './calls.js';
import { expressionDiagnostics, type PlacedDiagnostic } from './expressions.js';
import { orderDiagnostics, unreachableSteps } from './step-order.js';

/** Checks expressions, inputs and outputs of workflows against the schemas, and the order of their steps. */
export function* checkWorkflowContents({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    yield* ofFile(workflow.file, () =>
      diagnosticsOf(registry, workflow).map((diagnostic) => placedFinding(workflow, diagnostic)),
    );
  }
}

export function diagnosticsOf(registry: Registry, workflow: Loaded<HighLevel>): PlacedDiagnostic[] {
  const types = new WorkflowTypes(registry, workflow);
  return [
    ...expressionDiagnostics(types),
    ...contractDiagnostics(types, registry),
    ...orderDiagnostics(types),
    ...unreachableSteps(types),
  ];
}

export function placedFinding(from: Loaded<unknown>, { code, message, fix, path, part }: PlacedDiagnostic): Finding {
  return findingOf(code, message, from.locate(path, part), fix);
}
