import { actOf } from '../../choosing/decide/asks-for.js';
import { type Decided, decideInProject } from '../../choosing/decide/decide-in-project.js';
import { anchoredIn } from '../../choosing/decide/focus.js';
import { isAbout } from '../../choosing/decide/signals.js';
import { act, callableOf, GENERIC_AGENT } from '../../choosing/decide/targets.js';
import { setOf } from '../../choosing/words.js';
import { isReading } from '../../contracts/effects.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { LaneMessage, Pending, RecruitmentResult, RoutingDecision } from '../../contracts/routing.js';
import type { SessionThread } from '../../contracts/session.js';
import { loadedComposite } from '../../definitions/find-ability.js';
import { readSpecialists } from '../../definitions/specialists.js';
import { DECIDING } from '../../planning/route-targets.js';
import { listed } from '../../text/listed.js';
import { routeRequest } from '../route-request.js';
import type { Considered, Request } from './ask-shapes.js';
import { answered, asking, cannotRun, nothingFits, pendingOf, planChanged, type Resolution } from './ask-words.js';
import { considerCall, considerSignal } from './consider-call.js';
import { signalIn } from './waiting-signals.js';

export type RequestThread = SessionThread & { key: string };

/** Decides, then plans, asks or answers accordingly. Runs nothing and queries no server. Source: C-23. */
export async function consider(
  request: Request,
  thread: RequestThread,
  recruited: RecruitmentResult,
  recorded?: RoutingDecision,
): Promise<Considered> {
  const found = await decideInProject(request, thread, DECIDING);
  const isForPack = request.pack !== undefined && !found.decision.continuation;
  const decision = recorded ?? (isForPack ? byPack(request, recruited) : found.decision);
  const decided = { ...found, decision };
  const about = aboutOf(decided, request.text);
  const routed = await routeRequest({ ...request, pool: decided.pool, detail: 'summary' }, about);
  const { suggestions } = routed;
  const nearest = suggestions.length > 0 ? suggestions.slice(0, 3).map(({ id }) => id) : routed.nearest;
  const resolved = await resolve({ request, thread, recruited, decided, about, nearest, suggestions });
  // A plan was agreed to, and the request does not lead to one any more.
  const isLost = request.plan !== undefined && (resolved.outcome === 'asks' || resolved.outcome === 'answers');
  const message = `The request leads to no plan, so not to the one that was agreed to: ${resolved.answer}`;
  const lost = isLost && planChanged(message, 'Look at what it leads to without `--plan`.');
  const { abstained = false } = resolved;
  return { ...NOTHING, ...(lost || resolved), abstained, decision, suggestions, nearest: routed.nearest };
}

const NOTHING = {
  question: null,
  options: [],
  plan: [],
  unused: [],
  problem: null,
  pending: null,
  retries: null,
  signals: null,
};

interface Acting {
  request: Request;
  thread: RequestThread;
  recruited: RecruitmentResult;
  decided: Decided;
  /** The request, with the task or plan that it refers to. */
  about: string;
  nearest: string[];
  suggestions: Considered['suggestions'];
}

/** A named pack decides: its ability is proposed. Source: R-004-22, R-004-23. */
function byPack({ registry }: Request, { specialist_id }: RecruitmentResult): RoutingDecision {
  const ability = workflowOfPack(registry, specialist_id);
  const target = registry.agents.has(ability) ? { agentId: ability } : { abilityId: ability };
  return {
    ...act(target, 1, `The pack ${specialist_id} was named`),
    references: { refersTo: 'latest', refersToReason: 'It came with the request' },
    ...{ stage: 'a', router: 'rules', continuation: null, needs_approval: true, clamped: [] },
  };
}

function workflowOfPack(registry: Request['registry'], id: string): string {
  return readSpecialists(registry).packs.find((pack) => pack.id === id)?.workflow ?? id;
}

/** The request, with the message of the thread that it refers to. */
function aboutOf({ focus, decision }: Decided, text: string): string {
  const anchored = anchoredIn(focus);
  const isOther = anchored !== focus.lane.window.at(-1)?.text && decision.references.refersTo !== 'latest';
  return anchored !== undefined && isOther ? `${text}\n${anchored}` : text;
}

async function resolve(acting: Acting): Promise<Resolution> {
  const { decision } = acting.decided;
  if (decision.continuation) return continuePending(acting, decision.continuation);
  if (decision.decision === 'respond') return responds(acting);
  if (decision.decision === 'clarify') return clarifies(acting);
  if (decision.decision === 'delegate') return delegates(acting);
  const { target, needs_approval: needsApproval } = decision;
  const called = target && 'abilityId' in target ? target : callableOf(acting.decided.targets, target);
  return retryOf(acting) ?? considerCall(acting, called?.abilityId ?? '', acting.about, { needsApproval });
}

/** Continues with the answer to a pending question. */
async function continuePending(
  acting: Acting,
  { pending, value }: { pending: Pending; value: Json },
): Promise<Resolution> {
  const { request } = acting;
  const { ability_id: ability, given = {}, request: text = request.text, expects, plan } = pending;
  const wanted = signalIn(value);
  if (wanted) return considerSignal(request, wanted);
  if (ability !== undefined && 'input' in expects) {
    return considerCall(acting, ability, text, { known: { ...given, [expects.input]: value } });
  }
  if (ability !== undefined && plan !== undefined) {
    if (value !== true) return answered('Nothing was run.');
    return considerCall(acting, ability, text, { needsApproval: true, known: given, agreedTo: plan });
  }
  return chosen(acting, value, text);
}

async function chosen(acting: Acting, value: Json, text: string): Promise<Resolution> {
  const { request, thread, recruited } = acting;
  const means = (value ?? {}) as { ability_id?: string; message_id?: string };
  if (means.ability_id !== undefined) return considerCall(acting, means.ability_id, text);
  const meant = thread.messages.find(({ id }) => id === means.message_id);
  if (!meant) return answered('Then nothing was run. Say in other words what should be done.');
  // Decides anew, as if both texts were one message.
  const latest: LaneMessage = { ...meant, id: 'chosen', text: `${text}: ${meant.text}` };
  const next = { key: thread.key, messages: [latest], count: 1, pending: null };
  return consider({ ...request, text: latest.text }, next, recruited);
}

function responds({ decided, nearest, about }: Acting): Resolution {
  const { decision, focus } = decided;
  // A pending question stays open when something else is said in between.
  const waits = focus.pending ? { pending: focus.pending } : {};
  if (actOf(about) !== 'asks' || decision.references.refersTo === 'pending') {
    return { ...answered('Nothing was asked for, so nothing was run.'), ...waits };
  }
  const [missed] = decided.missed;
  if (missed) return { ...cannotRun(decided.missed), ...waits, abstained: true };
  if (!isAbout(about)) return { ...answered(nothingFits(nearest)), ...waits, abstained: true };
  const hint = nearest.length > 0 ? `It may be about ${listed(nearest, 'or')}.` : '`ability list` shows what there is.';
  return { ...answered(`Nothing was run, since it is a question. ${hint}`), ...waits };
}

/** One question, with the meaning of its answers; repeats a pending one. */
function clarifies({ request, thread, decided, nearest, suggestions, about }: Acting): Resolution {
  const { decision, focus } = decided;
  const question = decision.question ?? 'What should be done?';
  const { pending } = focus;
  const labels = decision.options.map(({ label }) => label);
  if (pending && labels.length > 0 && decision.options.every(({ means }) => means === null)) {
    return asking(question, pending, labels);
  }
  if (labels.length === 0) {
    const abstained = suggestions.length === 0 && actOf(about) === 'asks';
    return { ...asking(question, null), ...(abstained && { answer: nothingFits(nearest), abstained }) };
  }
  const options = decision.options.map(({ label, means }) => ({ label, value: means as Json }));
  const what = { kind: 'workflow_waiting', expects: { options }, request: request.text } as const;
  return asking(question, pendingOf(thread, what));
}

/** Uses an agent of the project; if none fits, the ability of a pack with the capability asked for. Source: C-23. */
async function delegates(acting: Acting): Promise<Resolution> {
  const { request, recruited, decided, about } = acting;
  const { registry } = request;
  const { target } = decided.decision;
  const agent = target && 'agentId' in target ? target.agentId : GENERIC_AGENT;
  const recruitedOne = workflowOfPack(registry, recruited.specialist_id);
  const isAsked = ASKED.has(recruited.routing_method) && loadedComposite(registry, recruitedOne) !== undefined;
  const ability = agent === GENERIC_AGENT && isAsked ? recruitedOne : agent;
  const found = decided.targets.agents.find(({ id }) => id === ability);
  const isSimple = ability === agent || (found && !found.isComplex && isReading(found.effects));
  const needsApproval = !isSimple || decided.decision.needs_approval;
  const takesRequest = registry.agents.get(ability)?.value.input_schema.properties;
  const known: JsonObject = isJsonObject(takesRequest) && 'request' in takesRequest ? { request: about } : {};
  return considerCall(acting, ability, about, { needsApproval, known });
}

const ASKED = setOf('explicit capability_routing');

/** The offered retry that the person accepted. Source: R-003-23. */
function retryOf({ decided }: Acting): Resolution | undefined {
  const { decision, focus } = decided;
  const { kind, task_key } = focus.pending ?? {};
  if (kind !== 'tool_retry' || decision.references.refersTo !== 'pending' || task_key === undefined) return undefined;
  return { outcome: 'runs', answer: `${task_key} is tried again.`, retries: task_key };
}
