import type { JsonObject } from '../../contracts/json.js';
import { taskQueueOf } from '../../contracts/names.js';
import type { Plan, PlanOperation } from '../../contracts/plan.js';
import type {
  ApprovalPreview,
  CallPreview,
  HookPreview,
  OperationPreview,
  PlanPreview,
  Runs,
  StepPreview,
} from '../../contracts/preview.js';
import type { Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { kindOf } from '../../kinds/kinds.js';
import { toolName } from '../../rules/calls/tools-used.js';
import { digestOf } from '../../rules/canonical.js';
import { denialOf } from '../../rules/hooks/handlers.js';
import { planDigest } from '../../rules/plans/plan-digest.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { unlessRefused } from '../../text/attempt.js';
import { guardedParts } from '../hooks/hook-parts.js';
import { taskInput } from '../resolve/check-parameters.js';
import { plannedLifecycle } from '../resolve/lifecycle.js';
import { resolvePlan } from '../resolve/resolve-plan.js';
import { missingCredentials } from '../secrets/credentials.js';
import { EnvironmentVariables, SecretSource } from '../secrets/secret-source.js';
import { inferPlacement } from '../steps/placement.js';
import { PreviewScope } from './partial-evaluation.js';
import { previewCall } from './preview-call.js';
import { type Asker, previewConcurrency, previewHooks, previewStart } from './preview-hooks.js';
import { StepPreviewer, type TreePreview } from './preview-steps.js';

export interface PreviewRequest {
  ability: string;
  environment: string;
  input: JsonObject;
  user: Asker;
  /** The environment that credentials are read from; default: that of this process. */
  env?: NodeJS.ProcessEnv;
}

/**
 * Previews a task from files and environment alone: queries no server, runs no hook, shows no secret. The digest
 * is that of a worker with the same files, for `run --plan`.
 * @throws AbilityError as preflight, for unresolvable references and an input that breaks the contract.
 */
export function previewPlan(registry: Registry, request: PreviewRequest): PlanPreview {
  refuseUnsafeKeys(request.input);
  const variables = new EnvironmentVariables(registry.root, request.environment, request.env);
  const { plan, warnings } = resolvePlan(registry, request.ability, request.environment, variables);
  const input = taskInput(plan, request.input);
  const { ability, environment, project, placement } = plan;
  const secrets = new SecretSource(registry.root, environment.name, request.env);
  const creation = previewCreation(plan, input, request.user);
  const confirmed = creation.flatMap(({ hooks }) => hooks.filter(({ decision }) => decision === 'need_user_confirm'));
  const created = confirmed.map(({ id, reason }) => `${reason} (hook ${id})`);
  const { explicit, demands } = inferPlacement(registry, ability.id, environment.name);
  const problems = [...missingCredentials(plan, secrets), ...denials(creation)];
  const digest = planDigest(plan);
  const inputDigest = digestOf(input);
  const tree = previewTree(plan, input, request.user, created);
  return {
    format: 1,
    status: problems.length > 0 ? 'unavailable' : 'available',
    ability: {
      id: ability.id,
      kind: ability.kind,
      version: ability.version,
      summary: ability.summary,
      ...plannedLifecycle(ability),
    },
    environment: { name: environment.name, protected: environment.protected },
    digest,
    input_digest: inputDigest,
    reference: `${digest}.${inputDigest}`,
    pinned_at_creation: pinnedLater(plan),
    input,
    requested_by: request.user.name,
    effects: ability.effects,
    tags: ability.tags,
    placement: { where: placement, queue: taskQueueOf(project, environment.name, placement), explicit, demands },
    limits: plan.limits,
    concurrency: previewConcurrency(plan, input),
    problems,
    warnings: [...new Set([...warnings, ...warningsOf(plan, creation)])],
    creation,
    start:
      ability.kind === 'workflow' ? previewStart(plan, input, request.user, created) : { hooks: [], approval: null },
    ...tree,
    operations: operationsOf(plan, secrets),
    plan,
  };
}

function previewTree(plan: Plan, input: JsonObject, user: Asker, created: readonly string[]): TreePreview {
  const { id, kind } = plan.ability;
  const operation = plan.operations[id];
  if (kind === 'workflow' || !operation) return new StepPreviewer(user).preview(plan, input);
  const { known } = PreviewScope.of(plan, input);
  const given = { shown: { value: input, open: {}, problem: null }, input };
  const call = previewCall({ plan, operation, given, known, user, reasons: created });
  return { steps: [ownCall(id, call)], on_error: [], finally: [], output: null };
}

function ownCall(what: string, call: CallPreview): StepPreview {
  const nothing = { because: null, if: null, approval: null, foreach: null, value: null, undo: null, timeout: null };
  return {
    id: 'run',
    path: 'run',
    verb: 'call',
    runs: 'yes',
    what,
    call,
    may_be_cut: false,
    continue_on_error: false,
    groups: [],
    ...nothing,
  };
}

/** Ends at the first denial, as preflight does. */
function previewCreation(plan: Plan, input: JsonObject, user: Asker): PlanPreview['creation'] {
  const previewed: PlanPreview['creation'] = [];
  for (const part of guardedParts(plan, input)) {
    const { operation, path } = part;
    const own = (operation ?? part.plan.ability).hooks.pre_create;
    const hooks = previewHooks(own, 'PreAbilityCreate', { plan: part.plan, operation, input: part.input, user });
    if (hooks.length > 0) previewed.push({ subject: path || plan.ability.id, hooks });
    if (hooks.some(({ decision }) => decision === 'deny')) break;
  }
  return previewed;
}

function warningsOf({ environment }: Plan, creation: PlanPreview['creation']): string[] {
  const warned = creation.flatMap(({ hooks }) => hooks.flatMap((hook) => hook.warnings));
  if (environment.proof !== 'required') return warned;
  return [
    ...warned,
    `${environment.name} asks for proof of who decides: only the owner of the project's own runtime can decide, and elsewhere approvals fail`,
  ];
}

function denials(creation: PlanPreview['creation']): Problem[] {
  const isDeny = ({ decision }: HookPreview): boolean => decision === 'deny';
  return creation.flatMap(({ hooks, subject }) =>
    hooks.filter(isDeny).map(({ id, reason, suggestion, phase, status }) => {
      const answer = { hook_id: id, phase, path: subject, status, decision: 'deny', reason: reason ?? '' } as const;
      return denialOf({ ...answer, ...(suggestion !== null && { suggestion }) }).toProblem();
    }),
  );
}

function operationsOf({ operations }: Plan, secrets: SecretSource): OperationPreview[] {
  // A reference that leads out of the project: the problems list it already.
  const has = (reference: string): boolean | null =>
    unlessRefused(
      () => secrets.has(reference),
      () => false,
    );
  return Object.values(operations).map((operation) => previewOperation(operation, has));
}

function pinnedLater({ operations }: Plan): string[] {
  return Object.values(operations).flatMap(({ key, implementation }) => (kindOf(implementation).hasPins ? [key] : []));
}

/** The chosen implementation. @param has whether a reference to a secret can be resolved; null: only workers know. */
function previewOperation(operation: PlanOperation, has: (reference: string) => boolean | null): OperationPreview {
  const { key, version, effects, implementation, fast } = operation;
  const { id, kind, tags, timeout_ms, prompts } = implementation;
  const own = kindOf(implementation);
  return {
    key,
    version,
    effects,
    implementation: id,
    kind,
    tags,
    tool: toolName(operation),
    does: withoutLogin(own.describeFully(implementation)),
    timeout_ms,
    fast,
    rate_limit: own.rateLimit(implementation),
    credentials: own.credentials(implementation).map((one) => ({ ...one, is_set: has(one.reference) })),
    prompts: Object.keys(prompts),
  };
}

function withoutLogin(text: string): string {
  return text.replaceAll(/\/\/[^/\s@]+@/g, '//***@');
}

type Tree = Pick<PlanPreview, 'steps' | 'on_error' | 'finally'>;

/**
 * The steps of a plan with those of its groups, of its error handlers, and of the workflows that it calls.
 * @param counts absent: all do.
 */
export function stepsIn(
  { steps, on_error, finally: last }: Tree,
  counts: (part: { runs: Runs }) => boolean = () => true,
): StepPreview[] {
  const handlers = on_error.filter(counts).flatMap((group) => group.steps);
  return [...steps, ...handlers, ...last]
    .filter(counts)
    .flatMap((step) => [
      step,
      ...stepsIn({ steps: [], on_error: step.groups, finally: [] }, counts),
      ...(step.call?.workflow ? stepsIn(step.call.workflow, counts) : []),
    ]);
}

function mayRun({ runs }: { runs: Runs }): boolean {
  return runs !== 'no';
}

/** The approvals that may be requested: at the start, at steps, at calls and the start of what they call, and before an undo. */
export function approvalsIn(preview: Pick<PlanPreview, 'start'> & Tree): ApprovalPreview[] {
  const reached = stepsIn(preview, mayRun).flatMap(({ approval, call, undo }) => {
    return [approval, call?.approval, call?.workflow?.approval, undo?.approval];
  });
  return [preview.start.approval, ...reached].flatMap((approval) => approval ?? []);
}

/** The hooks that may be asked, from creation on. */
export function hooksIn(preview: Pick<PlanPreview, 'creation' | 'start'> & Tree): HookPreview[] {
  const reached = stepsIn(preview, mayRun).flatMap(({ call }) => [
    ...(call?.hooks ?? []),
    ...(call?.workflow?.hooks ?? []),
  ]);
  return [...preview.creation.flatMap((part) => part.hooks), ...preview.start.hooks, ...reached];
}
