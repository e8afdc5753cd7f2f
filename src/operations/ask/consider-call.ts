import { accountInPool, unusedWords } from '../../choosing/account-for.js';
import type { Decided } from '../../choosing/decide/decide-in-project.js';
import { isReading } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlannedCall, Request, WantedSignal } from './ask-shapes.js';
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
import { planCall } from './plan-call.js';

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
