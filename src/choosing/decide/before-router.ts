import type { Pending, RoutingDecision } from '../../contracts/routing.js';
import { answersLater, wantsSubAgent } from './asks-for.js';
import { chooseAgent } from './choose-agent.js';
import { act, clarify, NO_AGENT, questionAbout, respond } from './propose.js';
import { readSelection } from './read-selection.js';
import { type CheckValue, readSlot } from './read-slot.js';
import type { Proposal, RouterInput } from './targets.js';

/** What rules alone decide. */
export type Settled = Proposal & Pick<RoutingDecision, 'continuation'>;

/**
 * Stage A: what needs no router. A selection or value goes to what waits for it; an explicit sub-agent takes the
 * focus, even if something is pending. Undefined: the router decides.
 * Source: R-003-04, R-003-05, R-003-23; docs/choosing.md#deciding.
 */
export async function stageA(input: RouterInput, check: CheckValue): Promise<Settled | undefined> {
  const { text, focus } = input;
  const { pending } = focus;
  const value = pending && !answersLater(text, focus) ? valueFor(text, pending, check) : undefined;
  // A text that as a whole is the awaited value counts as that, even if a label names a sub-agent.
  if (!pending || value === undefined) return wantsSubAgent(text) ? toSubAgent(input) : undefined;
  return {
    ...respond(1, 'It is exactly the value that is awaited'),
    references: { refersTo: 'pending', refersToReason: `${pending.kind} waits for it` },
    continuation: { kind: pending.kind, value, pending },
  };
}

function valueFor(text: string, { kind, expects }: Pending, check: CheckValue) {
  if (kind === 'workflow_waiting' && 'options' in expects) return readSelection(text, expects.options)?.value;
  return kind === 'slot_request' && 'schema' in expects ? readSlot(text, expects.schema, check) : undefined;
}

/** The sub-agent gets the focus, never the pending item. */
async function toSubAgent(input: RouterInput): Promise<Settled> {
  const { focus, text } = input;
  const references = { refersTo: 'focus_anchor', refersToReason: 'A sub-agent takes over the latest request' } as const;
  const agentId = focus.anchor && (await chooseAgent(input, `${text}\n${focus.anchor.snippet}`));
  const question = focus.anchor ? NO_AGENT : questionAbout(focus.candidates, 'What should the sub-agent do?');
  const proposal = agentId
    ? act('delegate', { agentId }, 0.95, 'A sub-agent was asked for')
    : clarify('It is not clear what goes to whom', question, 0.95);
  return { ...proposal, references, continuation: null };
}
