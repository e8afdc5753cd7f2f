import { saidIn } from '../../../choosing/decide/said-text.js';
import { isReading } from '../../../choosing/decide/targets.js';
import type { JsonObject } from '../../../contracts/json.js';
import type { PlannedCall, Request, WantedSignal } from './ask-shapes.js';
import { AGREEMENT, agreementFor, questionFor } from './ask-words.js';
import { planCall } from './plan-call.js';
import { answered, asking, pendingOf, type Resolution, unavailable } from './resolution.js';

interface Call {
  /** Whether a person must consent, whatever the ability declares. */
  needsApproval: boolean;
  known?: JsonObject;
  /** The plan that a person consented to; a different one is shown again. */
  agreedTo?: string;
}

/** Considers a call: it runs, its plan needs consent, an input is missing, or it cannot run. */
export function considerCall(
  { request, thread }: { request: Request; thread: { key: string } },
  ability: string,
  text: string,
  { needsApproval, known = {}, agreedTo }: Call,
): Resolution {
  const planning = planCall(request, ability, text, known);
  if ('problem' in planning) return unavailable(planning.problem);
  if ('open' in planning) {
    const { open } = planning;
    const expects = { input: open.name, schema: open.schema };
    const { ability_id, given } = open;
    const pending = pendingOf(thread, { kind: 'slot_request', expects, ability_id, given, request: text });
    return asking(questionFor(open), choicesOf(open.schema), pending);
  }
  const { plan } = planning;
  if (!(needsApproval || needsConsent(request, plan) || (Object.keys(known).length === 0 && leavesOut(plan, text))))
    return runs(plan);
  if (request.caller === 'agent') return forAgent(plan);
  if (request.agreed || agreedTo === plan.reference) return runs(plan);
  return { ...asksForConsent(request, thread, plan, text), ...(agreedTo !== undefined && { answer: CHANGED }) };
}

const CHANGED = 'What would run has changed since it was shown, so nothing was run yet.';

function runs(plan: PlannedCall): Resolution {
  return { outcome: 'runs', answer: `${plan.ability_id} is run.`, plan: [plan] };
}

/** For workflows and agents, and for anything but reading. Source: R-003-19, R-003-20; C-26, C-27. */
function needsConsent({ registry }: Request, { ability_id, effects }: PlannedCall): boolean {
  return !registry.operations.has(ability_id) || !isReading(effects);
}

/** Whether the text has numbers or addresses that no input takes, so that it may mean another call. */
function leavesOut({ input }: PlannedCall, text: string): boolean {
  const said =
    saidIn(text).match(
      /[\p{L}\p{N}._%+-]+@[\p{L}\p{N}.-]+\p{L}|(?<![\p{L}\p{N}._-])\d+(?:\.\d+)?(?![\p{L}\p{N}_-])/gu,
    ) ?? [];
  const given = JSON.stringify(Object.values(input));
  return said.some((part) => !given.includes(part));
}

function asksForConsent(
  { environment }: Request,
  thread: { key: string },
  plan: PlannedCall,
  text: string,
): Resolution {
  const question = agreementFor(plan, environment);
  const { ability_id, input, reference } = plan;
  const expects = { options: AGREEMENT };
  const what = { kind: 'workflow_waiting', expects, ability_id, given: input, request: text, plan: reference } as const;
  const labels = AGREEMENT.map(({ label }) => label);
  return { ...asking(question, labels, pendingOf(thread, what)), plan: [plan] };
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

function choicesOf({ enum: choices }: JsonObject): string[] {
  return Array.isArray(choices) ? choices.map(String) : [];
}
