import { EFFECTS } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { checkApiSection } from '../../kinds/api/lint.js';
import type { WrittenKindName } from '../../kinds/kind.js';
import { checkScriptSection } from '../../kinds/script/lint.js';
import { findingOfProblem } from '../../planning/finding-of.js';
import { IN_HOOKS } from '../../planning/hooks/resolve-handler.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { checkCondition, problemsOf } from '../../planning/steps/check-names.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { presetParameters, typeOfForms } from '../types/implementations.js';
import { type View, viewOf } from '../types/infer.js';
import { parseExpression, presentAfter } from '../types/read-expression.js';
import { ANY, INT, listType, mapType, NULL, STRING, type Type, textsType, unite } from '../types/type.js';
import { typeOfInput, typeOfSchema } from '../types/type-of-schema.js';
import { environmentType } from '../types/workflow-types.js';
import { inputDiagnostics, outputDiagnostics } from './calls.js';
import {
  conditionDiagnostics,
  type PlacedDiagnostic,
  scriptTextDiagnostics,
  templateDiagnostics,
} from './expressions.js';
import { type Names, type SectionCheck, scriptNames } from './section-check.js';
import { placedFinding } from './workflow-contents.js';

export function* checkOtherExpressions({ registry }: LintedProject): Generator<Finding> {
  const environment = environmentType(registry, Object.keys(registry.project.environments));
  yield* hookFindings(registry, environment);
  for (const { from, body, path, operation } of implementationBodies(registry)) {
    const contract = registry.operations.get(operation)?.value;
    if (!contract) continue;
    const input = withPresets(typeOfInput(contract.input_schema), presetParameters(registry, operation));
    yield* ofFile(from.file, () =>
      [...bodyDiagnostics(body, path, { input, environment })].map((diagnostic) => placedFinding(from, diagnostic)),
    );
  }
}

function* hookFindings(registry: Registry, environment: Type): Generator<Finding> {
  // A hook fires for many abilities.
  const input = mapType({}, () => ANY);
  const view = viewOf({ ...HOOK_NAMES, input, environment });
  const scriptView = viewOf(scriptNames({ input, environment }));
  for (const hook of [...registry.hooks.values()].flat()) {
    const { conditions, script } = partsOfHandler(hook.value.handler);
    yield* ofFile(hook.file, () => conditionFindings(hook, conditions, view));
    if (!script) continue;
    yield* ofFile(hook.file, () =>
      [...scriptTextDiagnostics(script, ['handler', 'script'], scriptView)].map((found) => placedFinding(hook, found)),
    );
  }
}

function* conditionFindings(
  hook: Loaded<HookDefinition>,
  conditions: [key: string, condition: string][],
  view: View,
): Generator<Finding> {
  for (const [key, source] of conditions) {
    const path = ['handler', 'expression', key];
    // No plan contains an unbound hook, so its names are checked here.
    const [problem] = problemsOf(() => checkCondition(source, IN_HOOKS, { from: hook, path }));
    if (problem) yield findingOfProblem(problem, hook.file);
    for (const diagnostic of conditionDiagnostics(source, path, view)) yield placedFinding(hook, diagnostic);
  }
}

/** The type of a session's calls in hook expressions. Source: docs/sessions.md#guards-over-a-session. */
const CALL = mapType({
  ability: STRING,
  effects: textsType(EFFECTS),
  environment: STRING,
  status: textsType(['running', 'succeeded', 'failed', 'cancelled', 'unknown']),
  input: mapType({}, () => ANY),
});
const COUNTS = mapType(Object.fromEntries([...EFFECTS, 'total'].map((name) => [name, INT])));

/** The names in hook expressions besides `input` and `environment`. */
const HOOK_NAMES: Record<string, Type> = {
  ability: mapType({ id: STRING, version: ANY, modules: listType(STRING) }),
  implementation: unite(NULL, mapType({ id: STRING, kind: STRING })),
  effects: textsType(EFFECTS),
  tags: listType(STRING),
  task: mapType({ key: STRING, ability: STRING }),
  session: unite(NULL, mapType({ id: STRING, calls: listType(CALL), counts: COUNTS, raised: ANY })),
  user: mapType({ name: STRING, source: STRING }),
  outcome: unite(NULL, mapType({ status: STRING, output: ANY, error: ANY })),
};

/** `fail_if` sees the output before validation; templates of a request see the input after it. */
function* bodyDiagnostics(
  body: ImplementationBody,
  path: readonly PropertyKey[],
  names: Names,
): Generator<PlacedDiagnostic> {
  if (body.fail_if !== undefined) {
    yield* conditionDiagnostics(body.fail_if, [...path, 'fail_if'], viewOf({ ...names, output: ANY }));
  }
  yield* sectionCheckOf(body)(body, [...path, body.kind], names);
}

const SECTION_CHECKS: { readonly [K in WrittenKindName]: SectionCheck<K> } = {
  script: checkScriptSection,
  mcp: () => [],
  api: checkApiSection,
};

function sectionCheckOf<K extends WrittenKindName>({ kind }: { kind: K }): SectionCheck<K> {
  return SECTION_CHECKS[kind];
}

/** Marks the parameters that the implementation or environment provides as present. */
function withPresets(type: Type, names: ReadonlySet<string>): Type {
  return type.map((one) => {
    if (one.kind !== 'map') return one;
    const fields = new Map(one.fields);
    for (const name of names) fields.set(name, { type: fields.get(name)?.type ?? (() => ANY), isOptional: false });
    return { ...one, fields };
  });
}

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
