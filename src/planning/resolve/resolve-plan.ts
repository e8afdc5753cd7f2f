import { CEL, ENGINE, isPlacedIn } from '../../contracts/names.js';
import type { NoticeEvent, PlanNotify } from '../../contracts/notices.js';
import type { Plan, PlanAbility, PlanFiles, PlanHooks } from '../../contracts/plan.js';
import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import { abilityNotFound, type Composite, loadedComposite } from '../../definitions/find-ability.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Project } from '../../definitions/formats/project.js';
import { type Loaded, PLACEMENT_RULES, type Registry } from '../../definitions/registry.js';
import { locationOf } from '../../definitions/spot.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { makesFiles } from '../../rules/calls/files-in.js';
import { readsSession } from '../../rules/sessions/session-reads.js';
import { attempt } from '../../text/attempt.js';
import { parseBytes } from '../../text/byte-size.js';
import { memoize } from '../../text/memoize.js';
import { filePlaces, takesFiles } from '../input/json-schema/file-places.js';
import { EnvironmentVariables } from '../secrets/secret-source.js';
import { refuseUnresolvable } from '../secrets/written-references.js';
import { type InferredPlacement, inferPlacement, refuseMisplaced, writtenPlacement } from '../steps/placement.js';
import { lifecycleWarnings, plannedLifecycle } from './lifecycle.js';
import type { Planning, PlanWarning, Warn } from './plan-warning.js';
import { type Found, resolveComposite } from './resolve-composite.js';
import { coversEnvironment, limitsOf, resolveEnvironment } from './resolve-environment.js';
import { addOperation } from './resolve-operation.js';

const MAX_NAMED = 3;

export interface ResolvedPlan {
  plan: Plan;
  warnings: string[];
  /** The warnings with their codes and locations, but for those about lifecycle and broken placements. */
  planWarnings: PlanWarning[];
}

/**
 * @param variables for `env:NAME`; default: those of this process and the project's `.env` files.
 * @throws AbilityError with the missing part and its place: `definition.*`, `config.*`, `scope.*` and others.
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
  const planWarnings = new Map<string, PlanWarning>();
  const warn: Warn = (warning) => void planWarnings.set(warning.message, warning);
  const operation = registry.operations.get(ability);
  const composite = loadedComposite(registry, ability);
  if (!operation && !composite) throw abilityNotFound(registry, ability);
  const inferred = inferPlacement(registry, ability, environment);
  refuseMisplaced(registry, ability, environment, inferred);
  const unplaced = operation
    ? planOperation({ registry, variables, warn }, operation)
    : planComposite({ registry, variables, warn }, composite as Loaded<Composite>);
  const plan: Plan = { ...unplaced, placement: inferred.placement, ...filesOf(registry.project, unplaced) };
  const from = (operation ?? composite) as Loaded<unknown>;
  refuseUnresolvable(plan, registry);
  const written = writtenPlacement(registry, ability, environment);
  warnOfPlacement({ plan, location: locationOf(written ?? { from, path: ['placement'] }) }, inferred, warn);
  for (const { key, implementation } of Object.values(plan.operations)) {
    for (const tag of ['deprecated', 'experimental'] as const) {
      if (!implementation.tags.includes(tag)) continue;
      const message = `The implementation ${implementation.id} of ${key} is ${tag}`;
      const location = (registry.operations.get(key) as Loaded<LowLevel>).locate([]);
      warn({ code: `lint.implementation_${tag}`, message, location });
    }
  }
  const called = [...Object.keys(plan.operations), ...Object.keys(plan.workflows ?? {})];
  const lifecycle = lifecycleWarnings(registry, { ability: plan.ability, called });
  return {
    plan,
    warnings: [...brokenPlacement(registry), ...lifecycle, ...planWarnings.keys()],
    planWarnings: [...planWarnings.values()],
  };
}

type Unplaced = Omit<Plan, 'placement'>;

function planOperation(planning: Planning, loaded: Loaded<LowLevel>): Unplaced {
  const operations: Plan['operations'] = {};
  const operation = addOperation(planning, operations, loaded);
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
    ...plannedLifecycle(loaded.value),
  };
  const body = { ability, operations, steps: [], finally: [] };
  return assemble(planning, body);
}

function planComposite(planning: Planning, composite: Loaded<Composite>): Unplaced {
  const found: Found = { operations: {}, workflows: {} };
  const { limits, ...own } = resolveComposite({ ...planning, found, callers: [] }, composite);
  const operations = Object.fromEntries(Object.entries(found.operations).sort(([a], [b]) => (a < b ? -1 : 1)));
  const plan = assemble(planning, { ...own, operations });
  return { ...plan, limits, ...(Object.keys(found.workflows).length > 0 && { workflows: found.workflows }) };
}

const NO_HOOKS: PlanHooks = { pre_create: [], pre_call: [], post_call: [] };

function assemble(
  { registry, variables: { environment } }: Planning,
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
    ...(project.audit !== false && { audit: true as const }),
    ...body,
    ...(project.policy.hooks === 'activities' && { hooks: 'activities' as const }),
    ...(readsSessions(registry) && { session_calls: true }),
  };
}

/** Warnings for an unreadable `placement` of the project, repeated for every plan. Source: R-001-19. */
function brokenPlacement({ broken }: Registry): string[] {
  const problem = broken.get(PLACEMENT_RULES);
  return problem
    ? [`\`placement\` in ability.yaml is broken, so the built-in lists of servers apply: ${problem.message}`]
    : [];
}

/** An explicit placement wins; warns if it contradicts the steps' needs. Source: R-001-04, C-31. */
function warnOfPlacement(
  { plan, location }: { plan: Plan; location: SourceLocation },
  { explicit, demands }: InferredPlacement,
  warn: Warn,
): void {
  if (explicit === null) return;
  const elsewhere = demands.filter(({ placement }) => !isPlacedIn(placement, explicit));
  if (elsewhere.length === 0) return;
  const named = elsewhere
    .slice(0, MAX_NAMED)
    .map(({ ability, tool }) => (tool === null ? ability : `${ability} (${tool})`));
  const more = elsewhere.length > named.length ? ` and ${elsewhere.length - named.length} more` : '';
  const what =
    explicit === 'cloud'
      ? 'in the cloud although a step of it needs a local server'
      : `in ${explicit} although a step of it needs another placement`;
  const message = `${plan.ability.id} is placed ${what}: ${named.join(', ')}${more}`;
  warn({ code: 'lint.placement_contradiction', message, location });
}

/** If a guard reads a session's log, all calls there are recorded: a limit may concern other abilities. */
// False for an invalid condition: planning its hook reports it.
const readsSessions = memoize((registry: Registry): boolean =>
  (registry.hooks.get('PreAbilityCall') ?? []).some(
    ({ value: { enabled, handler } }) =>
      enabled &&
      partsOfHandler(handler).conditions.some(([, condition]) => attempt(() => readsSession(condition), false)),
  ),
);

/** Empty if no call produces files and the input contains none. */
function filesOf(
  { policy }: Project,
  { ability, operations }: Pick<Plan, 'ability' | 'operations'>,
): { files?: PlanFiles } {
  const hasInput = takesFiles(ability.input_schema);
  if (!hasInput && !Object.values(operations).some(makesFiles)) return {};
  return {
    files: {
      ...(hasInput && { input: true, at: filePlaces(ability.input_schema) }),
      ...(policy.max_file !== undefined && { file_bytes: parseBytes(policy.max_file) as number }),
      ...(policy.max_task_files !== undefined && { task_bytes: parseBytes(policy.max_task_files) as number }),
    },
  };
}

/** The targets of notices; undefined if there are none, so that a task sends none. */
export function resolveNotify({ notify, slack, policy }: Project, environment: string): PlanNotify[] | undefined {
  const allowed = policy.allowed_hosts && { allowed_hosts: policy.allowed_hosts };
  const wanted = notify.filter((one) => coversEnvironment(one, environment));
  const targets: PlanNotify[] = wanted.map(({ on, webhook, secret, format }) => ({
    on: [...new Set(on)],
    webhook,
    ...(secret !== undefined && { secret }),
    format,
    ...allowed,
  }));
  if (slack && coversEnvironment(slack, environment)) {
    const { bot_token, channel, api } = slack;
    targets.push({ on: SLACK_EVENTS, format: 'slack_app', bot_token, channel, api, ...allowed });
  }
  return targets.length > 0 ? targets : undefined;
}

const SLACK_EVENTS: NoticeEvent[] = ['approval.requested', 'approval.decided', 'approval.cancelled'];
