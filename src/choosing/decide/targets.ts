import { type Effect, isReading } from '../../contracts/effects.js';
import type {
  AgentTarget,
  Choice,
  FocusContext,
  RouterAnswer,
  RouteTarget,
  Targets,
  ToolTarget,
  WorkflowTarget,
} from '../../contracts/routing.js';
import type { Accounted, Known } from '../account-for.js';

/** An ability that fits a text. The score is from 0 to 1. */
export interface Fit {
  abilityId: string;
  score: number;
  /** One sentence without a full stop. */
  reason?: string;
  /** Why it cannot be called here: one sentence without a full stop. */
  unavailable?: string;
}

/** Ranks abilities for a text, best first. @param among only these ids; absent: all. */
export type RankTargets = (text: string, among?: ReadonlySet<string>) => Promise<readonly Fit[]>;

/** Returns at most `limit` ids of abilities that match a text, best first. */
export type ShortlistTargets = (text: string, limit: number) => Promise<readonly string[]>;

/** Which words of a text a call of an ability would not account for. */
export type AccountFor = (abilityId: string, text: string) => Accounted;

/** What there is to decide about, and what is known of the abilities. */
export interface Deciding {
  /** The last message of its lane is the request. */
  focus: FocusContext;
  rank: RankTargets;
  /** Selects the abilities that a model gets if there are too many. */
  shortlist: ShortlistTargets;
  account: AccountFor;
}

/** What a router decides about, and its possible targets. */
export interface RouterInput extends Targets, Deciding {
  /** The whole latest message. */
  text: string;
  /** Minimum confidence for delegating or calling. */
  threshold: number;
}

/** The default minimum confidence for delegating or calling. Source: R-003-15. */
export const USUAL_THRESHOLD = 0.65;

/** The agent for requests that fit no other agent. Source: R-003-13. */
export const GENERIC_AGENT = 'generic';

/** The proposal of a router, before it is checked against the limits. */
export interface Proposal extends RouterAnswer {
  /** Only with `clarify`. */
  question: string | null;
  /** At most two. */
  options: Choice[];
}

/** The tool, also one that is not available, or the workflow; undefined for agents and what is not there. */
export function callableOf(
  { tools, workflows }: Targets,
  target: RouteTarget | null,
): ToolTarget | WorkflowTarget | undefined {
  if (!target || 'agentId' in target) return undefined;
  if ('abilityId' in target) return workflows.find(({ abilityId }) => abilityId === target.abilityId);
  const { extensionId, capabilityId } = target;
  return tools.find((tool) => tool.extensionId === extensionId && tool.capabilityId === capabilityId);
}

export function agentOf({ agents }: Targets, target: RouteTarget | null): AgentTarget | undefined {
  if (!target || !('agentId' in target)) return undefined;
  return agents.find(({ id }) => id === target.agentId);
}

export interface Target {
  decision: 'tool' | 'workflow' | 'delegate';
  target: RouteTarget;
  effects: Effect;
}

/** How its words are accounted for. */
export function takesOf(targets: Targets, ability: string): Known['takes'] {
  const found = targetFor(targets, ability);
  if (found?.decision === 'delegate') return 'requests';
  return found && isReading(found.effects) ? 'reads' : 'changes';
}

/** Undefined: the ability cannot be called. */
export function targetFor({ agents, tools, workflows }: Targets, ability: string): Target | undefined {
  const tool = tools.find(({ abilityId }) => abilityId === ability);
  if (tool) {
    if (!tool.available) return undefined;
    const { extensionId, capabilityId, effects } = tool;
    return { decision: 'tool', target: { extensionId, capabilityId }, effects };
  }
  const agent = agents.find(({ id }) => id === ability);
  if (agent) return { decision: 'delegate', target: { agentId: ability }, effects: agent.effects };
  const workflow = workflows.find(({ abilityId }) => abilityId === ability);
  return workflow && { decision: 'workflow', target: { abilityId: ability }, effects: workflow.effects };
}

/** A short question, if possible with two options. Source: R-003-16, R-003-24. */
export interface Question {
  question: string;
  options: Choice[];
}

/** "Do you mean X or Y?" for the newest two requests; with fewer, the other question. */
export function questionAbout(candidates: FocusContext['candidates'], otherwise: string): Question {
  const known = new Map(
    candidates.map(({ title, message_id }): [string, Choice] => [title, { label: title, means: { message_id } }]),
  );
  const options = [...known.values()].slice(-2);
  return options.length === 2 ? eitherOr(options) : { question: otherwise, options: [] };
}

/** "Do you mean X or Y?" for two abilities, "Do you mean X?" for one. */
export function questionOfAbilities(id: string, other?: string): Question {
  const choice = (label: string, ability_id: string): Choice => ({ label, means: { ability_id } });
  if (other !== undefined) return eitherOr([choice(id, id), choice(other, other)]);
  return { question: `Do you mean ${id}?`, options: [choice('yes', id), { label: 'no', means: null }] };
}

export function eitherOr(choices: readonly Choice[]): Question {
  const options = choices.slice(0, 2);
  return { question: `Do you mean ${options.map(({ label }) => label).join(' or ')}?`, options };
}

const FOCUS = { refersTo: 'focus_anchor', refersToReason: 'It is what was asked last' } as const;
const LATEST = { refersTo: 'latest', refersToReason: 'It is about the latest message alone' } as const;

/** Proposes to delegate or to call. */
export function act(target: RouteTarget, confidence: number, rationale: string): Proposal {
  const decision = 'agentId' in target ? 'delegate' : 'abilityId' in target ? 'workflow' : 'tool';
  return { decision, target, confidence, rationale, references: FOCUS, question: null, options: [] };
}

/** Proposes to answer without a call. */
export function respond(confidence: number, rationale: string): Proposal {
  return { decision: 'respond', target: null, confidence, rationale, references: LATEST, question: null, options: [] };
}

export function clarify(rationale: string, ask: Question, confidence = 0.5): Proposal {
  return { decision: 'clarify', target: null, confidence, rationale, references: LATEST, ...ask };
}

/** The question if a request should be delegated, but no agent can take it. */
export const NO_AGENT: Question = {
  question: 'No agent is registered here that could take it. What should be done instead?',
  options: [],
};
