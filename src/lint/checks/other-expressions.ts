import { EFFECTS } from '../../contracts/effects.js';
import type { Finding } from '../../contracts/findings.js';
import type { Json } from '../../contracts/json.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { ImplementationBody } from '../../definitions/formats/implementation.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { findingOfProblem } from '../../planning/finding-of.js';
import { IN_HOOKS } from '../../planning/hooks/resolve-hooks.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { checkCondition } from '../../planning/steps/check-names.js';
import { problemsOf } from '../../planning/steps/definition-errors.js';
import { type LintedProject, ofFile } from '../linted-project.js';
import { presetParameters } from '../types/implementations.js';
import type { View } from '../types/infer.js';
import { ANY, listType, mapType, NULL, STRING, type Type, textsType, unite } from '../types/type.js';
import { typeOfInput } from '../types/type-of-schema.js';
import { environmentType } from '../types/workflow-types.js';
import {
  conditionDiagnostics,
  type PlacedDiagnostic,
  scriptTextDiagnostics,
  templateDiagnostics,
} from './expressions.js';
import { placedFinding } from './workflow-contents.js';

export function* checkOtherExpressions({ registry }: LintedProject): Generator<Finding> {
  yield* hookFindings(registry);
  const environment = environmentType(registry, Object.keys(registry.project.environments));
  for (const { from, body, path, operation } of implementationBodies(registry)) {
    const contract = registry.operations.get(operation)?.value;
    if (!contract) continue;
    const input = withPresets(typeOfInput(contract.input_schema), presetParameters(registry, operation));
    yield* ofFile(from.file, () =>
      [...bodyDiagnostics(body, path, { input, environment })].map((diagnostic) => placedFinding(from, diagnostic)),
    );
  }
}

const CONDITIONS = ['deny_if', 'confirm_if', 'warn_if'] as const;

function* hookFindings(registry: Registry): Generator<Finding> {
  const view = viewOf(hookNames(registry));
  const { input = ANY, environment = ANY } = hookNames(registry);
  const scriptView = viewOf(scriptNames({ input, environment }));
  for (const hook of [...registry.hooks.values()].flat()) {
    yield* ofFile(hook.file, () => conditionFindings(hook, view));
    yield* ofFile(hook.file, () => scriptFindings(hook, scriptView));
  }
}

function* scriptFindings(hook: Loaded<HookDefinition>, view: View): Generator<Finding> {
  const { handler } = hook.value;
  if (!('script' in handler)) return;
  for (const diagnostic of scriptTextDiagnostics(handler.script, ['handler', 'script'], view)) {
    yield placedFinding(hook, diagnostic);
  }
}

function* conditionFindings(hook: Loaded<HookDefinition>, view: View): Generator<Finding> {
  const { handler } = hook.value;
  if (!('expression' in handler)) return;
  for (const key of CONDITIONS) {
    const source = handler.expression[key];
    if (source === undefined) continue;
    const path = ['handler', 'expression', key];
    // No plan contains an unbound hook, so its names are checked here.
    const [problem] = problemsOf(() => checkCondition(source, IN_HOOKS, hook, path));
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
  input: [{ kind: 'map', fields: new Map(), others: (): Type => ANY }],
});
const INT: Type = [{ kind: 'int' }];
const COUNTS = mapType(Object.fromEntries([...EFFECTS, 'total'].map((name) => [name, INT])));

/** The names in hook expressions. The input is open: a hook fires for many abilities. Source: docs/hooks.md. */
function hookNames(registry: Registry): Record<string, Type> {
  const { project } = registry;
  const open = (): Type => ANY;
  return {
    input: [{ kind: 'map', fields: new Map(), others: open }],
    environment: environmentType(registry, Object.keys(project.environments)),
    ability: mapType({ id: STRING, version: ANY, modules: listType(STRING) }),
    implementation: unite(NULL, mapType({ id: STRING, kind: STRING })),
    effects: textsType(EFFECTS),
    tags: listType(STRING),
    task: mapType({ key: STRING, ability: STRING }),
    session: unite(NULL, mapType({ id: STRING, calls: listType(CALL), counts: COUNTS })),
    user: mapType({ name: STRING, source: STRING }),
    outcome: unite(NULL, mapType({ status: STRING, output: ANY, error: ANY })),
  };
}

function viewOf(names: Record<string, Type>): View {
  return { typeOf: (name) => (Object.hasOwn(names, name) ? names[name] : undefined), present: new Set() };
}

/** `fail_if` sees the output before validation; templates of a request see the input after it. */
function* bodyDiagnostics(
  body: ImplementationBody,
  path: PropertyKey[],
  names: { input: Type; environment: Type },
): Generator<PlacedDiagnostic> {
  if (body.fail_if !== undefined) {
    yield* conditionDiagnostics(body.fail_if, [...path, 'fail_if'], viewOf({ ...names, output: ANY }));
  }
  if (body.kind === 'script') {
    const scriptView = { ...viewOf(scriptNames(names)), takesFiles: true as const };
    yield* scriptTextDiagnostics(body.script, [...path, 'script'], scriptView);
  }
  if (body.kind !== 'api') return;
  const view = viewOf(names);
  for (const key of ['query', 'headers', 'body'] as const) {
    const template = body.api[key] as Json | undefined;
    if (template !== undefined) yield* templateDiagnostics(template, [...path, 'api', key], view);
  }
}

/** The names in a script's arguments; `task` has fewer fields than in a workflow. */
function scriptNames(names: { input: Type; environment: Type }): Record<string, Type> {
  return { ...names, task: mapType({ key: unite(STRING, NULL), ability: STRING }) };
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
