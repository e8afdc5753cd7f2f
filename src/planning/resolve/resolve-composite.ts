import type { PlanAbility, PlanOperation, PlanWorkflow } from '../../contracts/plan.js';
import { invalidDefinition, type SourceLocation } from '../../contracts/problem.js';
import { type Composite, kindOf, loadedComposite } from '../../definitions/find-ability.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded } from '../../definitions/registry.js';
import { compositeHookLevels } from '../hooks/hook-levels.js';
import { resolveHooks } from '../hooks/resolve-hooks.js';
import { gravestOf } from '../steps/called-abilities.js';
import { checkStepTexts } from '../steps/check-step-texts.js';
import { compileSteps } from '../steps/compile-steps.js';
import { checkAgent, checkExamples, checkSchemas, checkScope, noSteps } from './check-ability.js';
import { checkStepParameters } from './check-parameters.js';
import { configOf } from './choose-implementation.js';
import { plannedLifecycle } from './lifecycle.js';
import type { Planning } from './plan-warning.js';
import { resolveAgent } from './resolve-agent.js';
import { limitsOf, resolveEnvironment } from './resolve-environment.js';
import { addOperation } from './resolve-operation.js';

/** What an ability calls, directly or not. */
export interface Found {
  operations: Record<string, PlanOperation>;
  workflows: Record<string, PlanWorkflow>;
}

export interface Resolving extends Planning {
  found: Found;
  /** Ids of the workflows on the path to this one, to detect recursion. */
  callers: readonly string[];
}

/** Adds all that it calls to `found`. @throws AbilityError with the missing part and its place. */
export function resolveComposite(resolving: Resolving, composite: Loaded<Composite>): PlanWorkflow {
  return composite.value.type === 'agent'
    ? resolveWithAgent(resolving, composite as Loaded<AgentProfile>)
    : resolveWorkflow(resolving, composite as Loaded<HighLevel>);
}

function resolveWorkflow(resolving: Resolving, workflow: Loaded<HighLevel>): PlanWorkflow {
  const { registry, variables } = resolving;
  const { value } = workflow;
  const { environment } = variables;
  checkScope(value.id, workflow, environment);
  checkSchemas(workflow);
  checkExamples(workflow);
  const planned = resolveEnvironment(registry, environment);
  const compiled = compileSteps(registry, workflow, planned);
  const { calls, children, warnings, ...body } = compiled;
  warnings.forEach(resolving.warn);
  const called = resolveCalled(resolving, workflow, calls, children);
  checkStepParameters(workflow, called.used);
  checkStepTexts(workflow, called.used, planned);
  const ability = abilityOf(resolving, workflow, called);
  if (value.steps.length === 0) throw noSteps(value.id, workflow.locate([]));
  const limits = limitsOf(registry.project, value.timeout, value.limits);
  return { ability, limits, ...body, ...(value.output !== undefined && { output: value.output }) };
}

function resolveWithAgent(resolving: Resolving, profile: Loaded<AgentProfile>): PlanWorkflow {
  const { registry, variables, found } = resolving;
  const { value } = profile;
  checkScope(value.id, profile, variables.environment);
  checkAgent(registry, profile);
  const ids = [...new Set(value.operations)];
  const calls = new Set(ids.filter((id) => registry.operations.has(id)));
  const children = new Map(
    ids.flatMap((id) => (calls.has(id) ? [] : [[id, ['operations', value.operations.indexOf(id)]] as const])),
  );
  const called = resolveCalled(resolving, profile, calls, children);
  const tools = ids.map((id) => {
    const tool = called.used.get(id) ?? (called.composites.get(id) as PlanAbility);
    return { ability: id, summary: tool.summary, effects: tool.effects };
  });
  const { agent, steps, model } = resolveAgent(registry, profile, tools, variables);
  found.operations[model.key] = model;
  const ability = abilityOf(resolving, profile, called);
  return { ability, limits: limitsOf(registry.project, value.timeout), steps, finally: [], agent };
}

interface Called {
  used: Map<string, PlanOperation>;
  composites: Map<string, PlanAbility>;
}

/** @param children the called workflows and agents, with the path of the first call of each. */
function resolveCalled(
  resolving: Resolving,
  composite: Loaded<Composite>,
  calls: ReadonlySet<string>,
  children: ReadonlyMap<string, readonly PropertyKey[]>,
): Called {
  const { registry, found, callers } = resolving;
  const used = new Map<string, PlanOperation>();
  for (const key of [...calls].sort()) {
    const loaded = registry.operations.get(key) as Loaded<LowLevel>;
    used.set(key, addOperation(resolving, found.operations, loaded));
  }
  const inner = { ...resolving, callers: [...callers, composite.value.id] };
  const sorted = [...children].sort(([a], [b]) => (a < b ? -1 : 1));
  const composites = sorted.map(([id, path]) => [id, resolveChild(inner, id, composite.locate(path)).ability] as const);
  return { used, composites: new Map(composites) };
}

function abilityOf(resolving: Resolving, composite: Loaded<Composite>, called: Called): PlanAbility {
  const { registry, variables, warn } = resolving;
  const { value } = composite;
  const { environment } = variables;
  const settings = configOf(registry, value.id)?.value.environments?.[environment];
  const [used, composites] = [[...called.used.values()], [...called.composites.values()]];
  const tagged = [...used.map(({ implementation }) => implementation), ...composites];
  const tags = [...new Set(tagged.flatMap((part) => part.tags))].sort();
  const effects = gravestOf([...used, ...composites].map((part) => part.effects));
  const levels = compositeHookLevels(registry, value.id, environment, { effects, tags });
  return {
    id: value.id,
    kind: 'workflow',
    version: value.version,
    summary: value.summary,
    modules: levels.subject.modules,
    tags,
    effects,
    implementation: null,
    input_schema: value.input_schema,
    output_schema: value.output_schema ?? null,
    hooks: resolveHooks(registry, levels, warn, variables),
    ...(settings?.prompts && { prompts: settings.prompts }),
    ...plannedLifecycle(value),
    ...(value.operations && { operations: [...new Set(value.operations)].sort() }),
  };
}

function resolveChild(resolving: Resolving, id: string, location: SourceLocation): PlanWorkflow {
  const { registry, found, callers } = resolving;
  const loaded = loadedComposite(registry, id) as Loaded<Composite>;
  const composite = loaded.value;
  if (callers.includes(id)) {
    throw invalidDefinition(
      `${[...callers, id].join(' calls ')}: ${kindOf(composite)} cannot call itself`,
      location,
      composite.type === 'agent' ? 'Leave one of them out of `operations`.' : 'Use `repeat` or `foreach`.',
    );
  }
  if (composite.type === 'workflow' && composite.steps.length === 0) throw noSteps(id, location);
  const known = found.workflows[id];
  if (known) return known;
  const child = resolveComposite(resolving, loaded);
  found.workflows[id] = child;
  return child;
}
