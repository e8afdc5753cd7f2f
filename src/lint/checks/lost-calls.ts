import type { Finding } from '../../contracts/findings.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { presetParameters, typeOfForms } from '../types/implementations.js';
import { viewOf } from '../types/infer.js';
import { parseExpression, presentAfter } from '../types/read-expression.js';
import { mapType, NULL, STRING, unite } from '../types/type.js';
import { typeOfInput, typeOfSchema } from '../types/type-of-schema.js';
import { inputDiagnostics, outputDiagnostics } from './calls.js';
import { conditionDiagnostics, type PlacedDiagnostic, templateDiagnostics } from './expressions.js';
import { placedFinding } from './workflow-contents.js';

/** Checks the expressions of `unknown` against the contracts of the lost call and of the ability that is asked. */
export function* checkLostCalls({ registry }: LintedProject): Generator<Finding> {
  for (const operation of registry.operations.values()) {
    yield* ofFile(operation.file, () =>
      [...diagnosticsOf(registry, operation)].map((diagnostic) => placedFinding(operation, diagnostic)),
    );
  }
}

function* diagnosticsOf(registry: Registry, { value }: Loaded<LowLevel>): Generator<PlacedDiagnostic> {
  const { unknown, input_schema, output_schema: promised } = value;
  const asked = unknown && registry.operations.get(unknown.call)?.value;
  if (!asked) return;
  const call = mapType({ idempotency_key: STRING, input: typeOfInput(input_schema) });
  const output = asked.output_schema ? typeOfSchema(asked.output_schema) : typeOfForms(registry, unknown.call);
  const question = viewOf({ call });
  const answer = viewOf({
    call,
    output: unite(NULL, output),
    error: unite(NULL, mapType({ code: STRING, message: STRING })),
  });
  const preset = presetParameters(registry, unknown.call);
  const contract = { schema: asked.input_schema, of: unknown.call, preset, at: ['unknown', 'call'] };
  yield* inputDiagnostics(contract, unknown.with, ['unknown', 'with'], question);
  yield* templateDiagnostics(unknown.with, ['unknown', 'with'], question);
  for (const key of ['happened', 'not_happened'] as const) {
    // A condition may read what is not there: then it is not true.
    const found = [...conditionDiagnostics(unknown[key], ['unknown', key], answer)];
    yield* found.filter(({ code }) => code !== 'lint.optional_field');
  }
  const tree = parseExpression(unknown.happened);
  const known = tree ? { ...answer, present: presentAfter(tree, true) } : answer;
  yield* templateDiagnostics(unknown.output, ['unknown', 'output'], known);
  if (promised) yield* outputDiagnostics(promised, unknown.output, ['unknown', 'output'], known);
}
