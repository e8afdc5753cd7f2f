import type { JsonObject } from '../../contracts/json.js';
import type { Pending, RoutingDecision } from '../../contracts/routing.js';
import { asks } from '../request-of.js';
import { answersLater, hasContent, wantsSubAgent } from './asks-for.js';
import { chooseAgent } from './choose-agent.js';
import { isConsent } from './consent.js';
import { act, clarify, NO_AGENT, questionAbout, respond } from './propose.js';
import { readSelection } from './read-selection.js';
import { type CheckValue, readSlot } from './read-slot.js';
import { saidIn } from './said-text.js';
import { signalIn } from './signals.js';
import type { RouterInput } from './targets.js';

/** A decision made by rules alone; undefined: the router decides. */
export type ByRule = Omit<RoutingDecision, 'needs_approval' | 'clamped'> | undefined;

/**
 * Stage A: what needs no router. A selection or value goes to what waits for it; an explicit sub-agent takes the
 * focus, even if something is pending. Source: R-003-04, R-003-05, R-003-23; docs/choosing.md#deciding.
 */
export async function stageA(input: RouterInput, check: CheckValue): Promise<ByRule> {
  const { text, focus } = input;
  const { pending } = focus;
  const continued = pending && !answersLater(text, input.focus) && continuationOf(text, pending, check);
  // A text that as a whole is the awaited value counts as that, even if a label names a sub-agent.
  if (continued) return continued;
  return wantsSubAgent(text) ? toSubAgent(input) : undefined;
}

function continuationOf(text: string, pending: Pending, check: CheckValue): ByRule {
  const value = valueFor(text, pending, check);
  if (value === undefined) return undefined;
  const references = { refersTo: 'pending', refersToReason: `${pending.kind} waits for it` } as const;
  return {
    ...respond(1, 'It is exactly the value that is awaited'),
    references,
    stage: 'a',
    router: 'rules',
    continuation: { kind: pending.kind, value, pending },
  };
}

function valueFor(text: string, { kind, expects }: Pending, check: CheckValue) {
  if (kind === 'workflow_waiting' && 'options' in expects) return readSelection(text, expects.options)?.value;
  if (kind === 'slot_request' && 'schema' in expects)
    return readSlot(text, expects.schema as JsonObject, check, saysMore);
  return undefined;
}

/** Whether the text is a request, a withdrawal, a refusal or nothing of its own, instead of the awaited value. */
function saysMore(text: string): boolean {
  const said = saidIn(text);
  if (isConsent(said) !== undefined || !hasContent(said.split(/[,.;:!?\n]/)[0] ?? '')) return true;
  // "test-runner-7" looks like a request, but is a name.
  return !NAME.test(said.trim()) && (signalIn(said) !== undefined || asks(said));
}

/** One word with a sign or a digit in it. */
const NAME = /^(?=\S*[\d_./-])[\p{L}\d][^\s?!]*$/u;

/** The sub-agent gets the focus, never the pending item. */
async function toSubAgent(input: RouterInput): Promise<ByRule> {
  const { focus, text } = input;
  const references = { refersTo: 'focus_anchor', refersToReason: 'A sub-agent takes over the latest request' } as const;
  const agentId = focus.anchor && (await chooseAgent(input, `${text}\n${focus.anchor.snippet}`));
  const question = focus.anchor ? NO_AGENT : questionAbout(focus.candidates, 'What should the sub-agent do?');
  const proposal = agentId
    ? act('delegate', { agentId }, 0.95, 'A sub-agent was asked for')
    : clarify('It is not clear what goes to whom', question, 0.95);
  return { ...proposal, references, stage: 'a', router: 'rules', continuation: null };
}
