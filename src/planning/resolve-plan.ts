import { EFFECTS, type Effect } from '../contracts/effects.js';
import { CEL, ENGINE } from '../contracts/names.js';
import type { Plan, PlanAbility, PlanHooks, PlanOperation, PlanWorkflow } from '../contracts/plan.js';
import { AbilityError, type SourceLocation } from '../contracts/problem.js';
import type { AgentProfile } from '../definitions/formats/agent.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { LowLevel } from '../definitions/formats/low-level.js';
import { type Loaded, PLACEMENT_RULES, type Registry } from '../definitions/registry.js';
import { didYouMean } from '../rules/nearest.js';
import { checkSchemas, checkScope } from './check-ability.js';
import { checkAgent } from './check-agent.js';
import { checkExamples } from './check-examples.js';
import { checkStepParameters } from './check-parameters.js';
import { checkStepTexts } from './check-step-texts.js';
import { configOf } from './choose-implementation.js';
import { compileSteps } from './compile-steps.js';
import type { Doubt, Warn } from './doubt.js';
import { EnvironmentVariables } from './environment-variables.js';
import { type InferredPlacement, inferPlacement } from './infer-placement.js';
import { limitsOf } from './limits.js';
import { looksAtSessions } from './looks-at-sessions.js';
import { filesOf } from './plan-files.js';
import { resolveAgent } from './resolve-agent.js';
import { resolveEnvironment } from './resolve-environment.js';
import { resolveHooks } from './resolve-hooks.js';
import { resolveNotify } from './resolve-notify.js';
import { configLevels, resolveOperation } from './resolve-operation.js';
import { plannedStanding, warningsOfStanding } from './standing.js';

/** So many tools are named of those that contradict a placement. */
const MOST_NAMED = 3;

/** A plan, and what its author should know. */
export interface ResolvedPlan {
  plan: Plan;
  warnings: string[];
  /** The same, with codes and places. */
  doubts: Doubt[];
}

/**
 * Resolves an ability for one environment.
 *
 * @param variables what `env:NAME` stands for; left out: what this process and the project's `.env` files say.
 * @throws AbilityError that says what is missing and where; the codes of `definition`, `config`, `scope` and others.
 */
export function resolvePlan(
  registry: Registry,
  ability: string,
  environment: string,
  variables = new EnvironmentVariables(registry.root, environment),
): ResolvedPlan {
  const broken = registry.broken.get(`ability:${ability}`);
  if (broken) throw new AbilityError(broken);
  resolveEnvironment(registry, environment);
  const doubts = new Map<string, Doubt>();
  const warn: Warn = (doubt) => void doubts.set(doubt.message, doubt);
  const operation = registry.operations.get(ability);
  const composite = registry.workflows.get(ability) ?? registry.agents.get(ability);
  if (!operation && !composite) throw notFound(registry, ability);
  const inferred = inferPlacement(registry, ability, environment);
  const unplaced = operation
    ? planOperation(registry, operation, variables, warn)
    : planComposite(registry, composite as Loaded<Composite>, variables, warn);
  const plan: Plan = { ...unplaced, placement: inferred.placement, ...filesOf(registry.project, unplaced) };
  const from = (operation ?? composite) as Loaded<unknown>;
  warnOfPlacement({ plan, location: from.locate(['placement']) }, inferred, warn);
  for (const { key, implementation } of Object.values(plan.operations)) {
    for (const tag of ['deprecated', 'experimental'] as const) {
      if (!implementation.tags.includes(tag)) continue;
      const message = `The implementation ${implementation.id} of ${key} is ${tag}`;
      const location = (registry.operations.get(key) as Loaded<LowLevel>).locate([]);
      warn({ code: `lint.implementation_${tag}`, message, location });
    }
  }
  const called = [...Object.keys(plan.operations), ...Object.keys(plan.workflows ?? {})];
  const standing = warningsOfStanding(registry, { ability: plan.ability, called });
  return {
    plan,
    warnings: [...brokenPlacement(registry), ...standing, ...doubts.keys()],
    doubts: [...doubts.values()],
  };
}

function notFound(registry: Registry, ability: string): AbilityError {
  const [unreadable] = registry.opaque.filter(({ kind }) => kind === 'low-level' || kind === 'high-level');
  const { operations, workflows, agents } = registry;
  const hint = didYouMean(ability, [...operations.keys(), ...workflows.keys(), ...agents.keys()]);
  return new AbilityError({
    code: 'ability.not_found',
    message: `There is no ability ${ability} in the project ${registry.project.project}`,
    suggestion:
      hint ??
      (unreadable
        ? `A file cannot be read: ${unreadable.problem.message}`
        : 'Run `ability list` to see what there is.'),
  });
}

/** A plan before it is known where it runs. */
type Unplaced = Omit<Plan, 'placement'>;

function planOperation(
  registry: Registry,
  loaded: Loaded<LowLevel>,
  variables: EnvironmentVariables,
  warn: Warn,
): Unplaced {
  const operation = resolveOperation(registry, loaded, variables, warn);
  const { key, version, summary, modules, effects, input_schema, output_schema, implementation } = operation;
  const ability: PlanAbility = {
    id: key,
    kind: 'operation',
    version,
    summary,
    modules,
    tags: implementation.tags,
    effects,
    implementation: implementation.id,
    input_schema,
    output_schema,
    hooks: NO_HOOKS,
    ...plannedStanding(loaded.value),
  };
  const body = { ability, operations: { [key]: operation }, steps: [], finally: [] };
  return assemble(registry, variables.environment, body);
}

/** What calls others: a workflow by its steps, an agent as its model asks. */
type Composite = HighLevel | AgentProfile;

function planComposite(
  registry: Registry,
  composite: Loaded<Composite>,
  variables: EnvironmentVariables,
  warn: Warn,
): Unplaced {
  const found: Found = { operations: {}, workflows: {} };
  const { limits, ...own } = resolveComposite({ registry, variables, warn, found, callers: [] }, composite);
  const operations = Object.fromEntries(Object.entries(found.operations).sort(([a], [b]) => (a < b ? -1 : 1)));
  const plan = assemble(registry, variables.environment, { ...own, operations });
  return { ...plan, limits, ...(Object.keys(found.workflows).length > 0 && { workflows: found.workflows }) };
}

/** What a workflow calls, and what is called from there. */
interface Found {
  operations: Record<string, PlanOperation>;
  workflows: Record<string, PlanWorkflow>;
}

interface Resolving {
  registry: Registry;
  variables: EnvironmentVariables;
  warn: Warn;
  found: Found;
  /** Ids of the workflows that lead here. */
  callers: readonly string[];
}

function resolveComposite(resolving: Resolving, composite: Loaded<Composite>): PlanWorkflow {
  return composite.value.type === 'agent'
    ? resolveWithAgent(resolving, composite as Loaded<AgentProfile>)
    : resolveWorkflow(resolving, composite as Loaded<HighLevel>);
}

/** Resolves a workflow and, into `found`, all that it calls. */
function resolveWorkflow(resolving: Resolving, workflow: Loaded<HighLevel>): PlanWorkflow {
  const { registry, variables } = resolving;
  const { value } = workflow;
  const { environment } = variables;
  checkScope(value.id, workflow, environment);
  checkSchemas(workflow);
  checkExamples(workflow);
  const compiled = compileSteps(registry, workflow, resolveEnvironment(registry, environment));
  const { calls, children, warnings, ...body } = compiled;
  warnings.forEach(resolving.warn);
  const called = resolveCalled(resolving, workflow, calls, children);
  checkStepParameters(workflow, called.used);
  const facts = { environment: resolveEnvironment(registry, environment), engine: ENGINE, cel: CEL };
  checkStepTexts(workflow, called.used, facts);
  const ability = abilityOf(resolving, workflow, called);
  if (value.steps.length === 0) throw noSteps(value.id, workflow.locate([]));
  const limits = limitsOf(registry.project, value.timeout);
  if (value.limits) limits.max_calls = value.limits.max_calls;
  return { ability, limits, ...body, ...(value.output !== undefined && { output: value.output }) };
}

/** Resolves an agent and, into `found`, all that it may call. */
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
  const { agent, steps, model } = resolveAgent(registry, profile, tools);
  found.operations[model.key] = model;
  const ability = abilityOf(resolving, profile, called);
  return { ability, limits: limitsOf(registry.project, value.timeout), steps, finally: [], agent };
}

/** What a workflow or an agent calls. */
interface Called {
  /** By id. */
  used: Map<string, PlanOperation>;
  /** By id. */
  composites: Map<string, PlanAbility>;
}

/** @param children with the place that names each. */
function resolveCalled(
  resolving: Resolving,
  composite: Loaded<Composite>,
  calls: ReadonlySet<string>,
  children: ReadonlyMap<string, readonly PropertyKey[]>,
): Called {
  const { registry, variables, warn, found, callers } = resolving;
  const used = new Map<string, PlanOperation>();
  for (const key of [...calls].sort()) {
    const loaded = registry.operations.get(key) as Loaded<LowLevel>;
    found.operations[key] ??= resolveOperation(registry, loaded, variables, warn);
    used.set(key, found.operations[key]);
  }
  const inner = { ...resolving, callers: [...callers, composite.value.id] };
  const sorted = [...children].sort(([a], [b]) => (a < b ? -1 : 1));
  const composites = sorted.map(([id, path]) => [id, resolveChild(inner, id, composite.locate(path)).ability] as const);
  return { used, composites: new Map(composites) };
}

function abilityOf(
  { registry, variables, warn }: Resolving,
  composite: Loaded<Composite>,
  called: Called,
): PlanAbility {
  const { value } = composite;
  const { environment } = variables;
  const config = configOf(registry, value.id);
  const settings = config?.value.environments?.[environment];
  const modules = value.scope.modules ?? [];
  const [used, composites] = [[...called.used.values()], [...called.composites.values()]];
  const tagged = [...used.map(({ implementation }) => implementation), ...composites];
  const tags = [...new Set(tagged.flatMap((part) => part.tags))].sort();
  const effects = gravest([...used, ...composites].map((part) => part.effects));
  const levels = configLevels(config, settings, environment);
  const subject = { ability: value.id, modules, environment, kind: 'workflow' as const, effects, tags };
  const own = { value: value.hooks, from: composite, path: ['hooks'] };
  return {
    id: value.id,
    kind: 'workflow',
    version: value.version,
    summary: value.summary,
    modules,
    tags,
    effects,
    implementation: null,
    input_schema: value.input_schema,
    output_schema: value.output_schema ?? null,
    hooks: resolveHooks(registry, subject, [own, ...levels], warn, variables),
    ...(settings?.prompts && { prompts: settings.prompts }),
    ...plannedStanding(value),
    ...(value.operations && { operations: [...new Set(value.operations)].sort() }),
  };
}

function resolveChild(resolving: Resolving, id: string, location: SourceLocation): PlanWorkflow {
  const { registry, found, callers } = resolving;
  if (callers.includes(id)) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `${[...callers, id].join(' calls ')}: ${registry.agents.has(id) ? 'an agent' : 'a workflow'} cannot call itself`,
      location,
      suggestion: registry.agents.has(id) ? 'Leave one of them out of `operations`.' : 'Use `repeat` or `foreach`.',
    });
  }
  if (registry.workflows.get(id)?.value.steps.length === 0) throw noSteps(id, location);
  const known = found.workflows[id];
  if (known) return known;
  const composite = registry.workflows.get(id) ?? registry.agents.get(id);
  const child = resolveComposite(resolving, composite as Loaded<Composite>);
  found.workflows[id] = child;
  return child;
}

/** Refuses what can be found and not run, before anything is started for it. @throws AbilityError `ability.no_steps`. */
export function refuseWithoutSteps(registry: Registry, id: string): void {
  const workflow = registry.workflows.get(id);
  if (workflow?.value.steps.length === 0) throw noSteps(id, workflow.locate([]));
}

/** Its contract may be written before what it does. Source: C-50. */
function noSteps(id: string, location: SourceLocation): AbilityError {
  return new AbilityError({
    code: 'ability.no_steps',
    message: `${id} has no steps, so it can be found and not run`,
    location,
    suggestion: 'Write its `steps`; docs/workflow-language.md has the language.',
  });
}

const NO_HOOKS: PlanHooks = { pre_create: [], pre_call: [], post_call: [] };

function assemble(
  registry: Registry,
  environment: string,
  body: Pick<Plan, 'ability' | 'operations' | 'steps' | 'finally' | 'output' | 'agent'>,
): Unplaced {
  const { project } = registry;
  const notify = resolveNotify(project, environment);
  return {
    format: 1,
    engine: ENGINE,
    cel: CEL,
    project: project.project,
    environment: resolveEnvironment(registry, environment),
    limits: limitsOf(project, undefined),
    ...(notify && { notify }),
    ...body,
    ...(looksAtSessions(registry) && { session_calls: true }),
  };
}

/** A project whose `placement` cannot be read is told in every plan where that leads. Source: R-001-19. */
function brokenPlacement({ broken }: Registry): string[] {
  const problem = broken.get(PLACEMENT_RULES);
  return problem
    ? [`\`placement\` in ability.yaml is broken, so the built-in lists of servers hold: ${problem.message}`]
    : [];
}

/** An explicit placement wins, and is told where it contradicts what the steps need. Source: R-001-04, C-31. */
function warnOfPlacement(
  { plan, location }: { plan: Plan; location: SourceLocation },
  { explicit, inferred, demands }: InferredPlacement,
  warn: Warn,
): void {
  if (explicit !== 'cloud' || inferred !== 'local') return;
  const local = demands.filter(({ placement }) => placement === 'local');
  const named = local
    .slice(0, MOST_NAMED)
    .map(({ ability, tool }) => (tool === null ? ability : `${ability} (${tool})`));
  const more = local.length > named.length ? ` and ${local.length - named.length} more` : '';
  const message = `${plan.ability.id} is placed in the cloud although a step of it needs a local server: ${named.join(', ')}${more}`;
  warn({ code: 'lint.placement_contradiction', message, location });
}

function gravest(effects: Effect[]): Effect {
  return EFFECTS.findLast((effect) => effects.includes(effect)) ?? 'read';
}
