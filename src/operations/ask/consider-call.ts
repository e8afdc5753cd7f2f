import { accountInPool, unusedWords } from '../../choosing/account-for.js';
import type { Decided } from '../../choosing/decide/decide-in-project.js';
import { namesRequiredBy, readAll, requiredOf, schemaOfInput } from '../../choosing/read-inputs.js';
import { isReading } from '../../contracts/effects.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import type { PlanPreview } from '../../contracts/preview.js';
import type { Problem } from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import { approvalsIn, previewPlan } from '../../planning/preview/preview-plan.js';
import { unlessRefused } from '../../text/attempt.js';
import type { OpenInput, PlannedCall, Request, WantedSignal } from './ask-shapes.js';
import {
  AGREEMENT,
  agreementFor,
  answered,
  asking,
  pendingOf,
  planChanged,
  questionFor,
  type Resolution,
  unavailable,
} from './ask-words.js';

interface Call {
  /** Whether a person must consent, whatever the ability declares. */
  needsApproval?: boolean;
  known?: JsonObject;
  /** The plan that a person consented to; a different one is shown again. */
  agreedTo?: string;
}

/** Considers a call: it runs, its plan needs consent, an input is missing, or it cannot run. */
export function considerCall(
  { request, thread, decided: { pool } }: { request: Request; thread: { key: string }; decided: Pick<Decided, 'pool'> },
  ability: string,
  text: string,
  { needsApproval = false, known = {}, agreedTo }: Call = {},
): Resolution {
  const planning = planCall(request, ability, text, known);
  if ('problem' in planning) return unavailable(planning.problem);
  if ('open' in planning) {
    const { open } = planning;
    const expects = { input: open.name, schema: open.schema };
    const { ability_id, given } = open;
    const pending = pendingOf(thread, { kind: 'slot_request', expects, ability_id, given, request: text });
    return asking(questionFor(open), pending);
  }
  const { plan } = planning;
  const isRead = isReading(plan.effects);
  const stated = { input: plan.input, ...(isRead && { takes: 'reads' as const }) };
  const accounted = accountInPool(pool, plan.ability_id, text, stated);
  const isWhole = accounted.limits.length === 0;
  const isAnswered = Object.keys(known).length > 0;
  // Workflows and agents need consent, and anything but reading. Source: R-003-19, R-003-20; C-26, C-27.
  const isFree = !needsApproval && isRead && request.registry.operations.has(plan.ability_id);
  if (isFree && (isAnswered || isWhole)) return runs(plan);
  if (request.caller === 'agent') return forAgent(plan);
  if (agreedTo === plan.reference || request.plan === plan.reference) return runs(plan);
  if (request.plan !== undefined) return changedTo(plan);
  if (request.agreed && isRead && isWhole) return runs(plan);
  const unused = isRead ? accounted.limits : accounted.unused;
  const { ability_id, input: given, reference } = plan;
  const isUnsure = !accounted.isOrder && unused.length === 0 && !isRead;
  const before = isUnsure ? 'That may be no order. ' : unusedWords(unused);
  const waits = { kind: 'workflow_waiting', expects: { options: AGREEMENT }, ability_id, given } as const;
  const pending = pendingOf(thread, { ...waits, request: text, plan: reference });
  const asked = asking(`${before}${agreementFor(plan, request.environment)}`, pending);
  const answer = 'What would run has changed since it was shown, so nothing was run yet.';
  return { ...asked, plan: [plan], unused, ...(agreedTo !== undefined && { answer }) };
}

function changedTo({ ability_id, reference }: PlannedCall): Resolution {
  const message = `What would run is ${ability_id} with the plan ${reference}, and not the plan that was agreed to`;
  return planChanged(message, 'Look at the plan without `--plan`, and pass the digest that it shows.');
}

function runs(plan: PlannedCall): Resolution {
  return { outcome: 'runs', answer: `${plan.ability_id} is run.`, plan: [plan] };
}

/** Refuses signals that need a payload, which words cannot give, and signals chosen by agents. */
export function considerSignal({ caller }: Request, { task_key, signal, condition }: WantedSignal): Resolution {
  const command = `ability task signal ${task_key} ${signal}`;
  if (condition !== undefined) {
    const said = `${task_key} accepts the signal ${signal} only with a payload that satisfies ${condition}, so nothing was sent.`;
    return answered(`${said} Send it with: ${command} --payload JSON`);
  }
  if (caller === 'agent')
    return answered(`An agent cannot choose a signal for a person, so nothing was sent. Ask them, or: ${command}`);
  return { ...answered(`${task_key} was sent ${signal}.`), signals: { task_key, signal } };
}

/** Agents cannot consent: they see the plan, and call the ability by name, with guards and approvals. */
function forAgent(plan: PlannedCall): Resolution {
  const answer = `This is what would run. An agent cannot agree to a plan: call ${plan.ability_id} by its name, or ask the person.`;
  return { outcome: 'planned', answer, plan: [plan] };
}

type Planning = { plan: PlannedCall } | { open: OpenInput } | { problem: Problem };

/** They take the request as it is. */
const REQUEST_INPUTS: readonly string[] = ['request', 'prompt'];

/** Asks for inputs that the request does not state unambiguously. @param known overrides the text. */
export function planCall(
  request: Pick<Request, 'registry' | 'environment' | 'user' | 'env'>,
  ability: string,
  text: string,
  known: JsonObject = {},
): Planning {
  const { registry, environment, env } = request;
  const schema = loadedAbility(registry, ability)?.value.input_schema ?? {};
  const whole = requiredOf(schema).find(({ name }) => REQUEST_INPUTS.includes(name));
  const asked = whole?.schema.type === 'string' ? { [whole.name]: text } : {};
  const given = { ...readAll(schema, text, asked), ...known };
  const [missing] = [...requiredOf(schema).map(({ name }) => name), ...requiredByBranch(schema, given)].filter(
    (name) => !Object.hasOwn(given, name),
  );
  if (missing !== undefined)
    return { open: { ability_id: ability, name: missing, schema: schemaOfInput(schema, missing), given } };
  return unlessRefused<Planning, Planning>(
    () => {
      // The task will run in the session of the request.
      const user = { ...request.user, caller: 'session' } as const;
      const preview = previewPlan(registry, { ability, environment, input: given, user, env });
      const [problem] = preview.problems;
      return problem ? { problem } : { plan: callOf(preview) };
    },
    (refusal) => ({ problem: refusal.toProblem() }),
  );
}

/** What the fitting branch of `oneOf` or `anyOf` requires: of several, the one that lacks least. */
function requiredByBranch({ oneOf, anyOf }: JsonObject, given: JsonObject): string[] {
  const branches = [oneOf, anyOf].flat().filter(isJsonObject);
  const required = branches.filter((branch) => mayBe(branch, given)).map(namesRequiredBy);
  const lacks = (names: readonly string[]): number => names.filter((name) => !Object.hasOwn(given, name)).length;
  return required.sort((one, other) => lacks(one) - lacks(other))[0] ?? [];
}

function mayBe(branch: JsonObject, given: JsonObject): boolean {
  return Object.entries(given).every(([name, value]) => {
    const { const: wanted } = schemaOfInput(branch, name);
    return wanted === undefined || wanted === value;
  });
}

function callOf(preview: PlanPreview): PlannedCall {
  const { ability, input, effects, reference, warnings } = preview;
  const approvals = approvalsIn(preview).map(({ title, asked, approvers }) => ({ title, asked, approvers }));
  return { ability_id: ability.id, input, effects, reference, approvals, warnings };
}
