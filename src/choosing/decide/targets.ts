import type { Effect } from '../../contracts/effects.js';
import type { FocusContext, RouterAnswer, RouteTarget } from '../../contracts/routing.js';

/** The profile of an agent to which a request can go. Source: R-003-12. */
export interface AgentTarget {
  id: string;
  summary: string;
  /** The gravest of what it may call. */
  effects: Effect;
  /** Whether it may call anything of a high level. Source: R-003-19; exact shapes, section 3. */
  isComplex: boolean;
}

/** A tool that may be called; C-21: the extension is its server or provider, the capability the tool or operation. */
export interface ToolTarget {
  extensionId: string;
  capabilityId: string;
  /** The ability behind it. */
  abilityId: string;
  summary: string;
  effects: Effect;
  /** False where it is not installed, out of scope, disabled, without credential, or where its server does not answer. */
  available: boolean;
  /** Why it is not available. */
  reason?: string;
}

/** A high-level ability that may be proposed. */
export interface WorkflowTarget {
  abilityId: string;
  summary: string;
  effects: Effect;
}

/** Everything that a request may go to. */
export interface Targets {
  agents: readonly AgentTarget[];
  tools: readonly ToolTarget[];
  workflows: readonly WorkflowTarget[];
}

/** An ability that fits a text, best first; from 0 to 1. */
export interface Fit {
  abilityId: string;
  score: number;
  /** Why, in one sentence without a full stop. */
  reason?: string;
}

/** How the abilities among the targets fit a text. */
export type RankTargets = (text: string) => Promise<readonly Fit[]>;

/** The ids of abilities that share something with a text, as many as are wanted at most, the nearest first. */
export type ShortlistTargets = (text: string, limit: number) => Promise<readonly string[]>;

/** What a router goes by. */
export interface RouterInput extends Targets {
  focus: FocusContext;
  /** The latest message, whole. */
  text: string;
  rank: RankTargets;
  shortlist: ShortlistTargets;
  /** Below it nothing is delegated or called. */
  threshold: number;
}

/** Below it nothing is delegated, called or proposed. Source: R-003-15. */
export const USUAL_THRESHOLD = 0.65;

/** The agent that takes what no other fits. Source: R-003-13. */
export const GENERIC_AGENT = 'generic';

/** What a router proposes, before it is held against what is allowed. */
export interface Proposal extends RouterAnswer {
  /** With `clarify`. */
  question: string | null;
  /** At most two. */
  options: string[];
}

/** What changes nothing outside of the reply. Source: R-003-18, R-003-20; C-27. */
const READS: ReadonlySet<Effect> = new Set(['read', 'external_read']);

/** Whether effects are those of reading. */
export function isReading(effects: Effect): boolean {
  return READS.has(effects);
}

/** The tool of a target, available or not. */
export function toolOf({ tools }: Targets, target: RouteTarget | null): ToolTarget | undefined {
  if (!target || !('extensionId' in target)) return undefined;
  const { extensionId, capabilityId } = target;
  return tools.find((tool) => tool.extensionId === extensionId && tool.capabilityId === capabilityId);
}

/** The workflow of a target. */
export function workflowOf({ workflows }: Targets, target: RouteTarget | null): WorkflowTarget | undefined {
  if (!target || !('abilityId' in target)) return undefined;
  return workflows.find(({ abilityId }) => abilityId === target.abilityId);
}

/** The agent of a target. */
export function agentOf({ agents }: Targets, target: RouteTarget | null): AgentTarget | undefined {
  if (!target || !('agentId' in target)) return undefined;
  return agents.find(({ id }) => id === target.agentId);
}

/** What an ability is among the targets; undefined: it cannot be called. */
export function targetFor(
  { tools, workflows }: Targets,
  ability: string,
): { decision: 'tool' | 'workflow'; target: RouteTarget; effects: Effect } | undefined {
  const tool = tools.find(({ abilityId, available }) => available && abilityId === ability);
  if (tool) {
    const { extensionId, capabilityId, effects } = tool;
    return { decision: 'tool', target: { extensionId, capabilityId }, effects };
  }
  const workflow = workflows.find(({ abilityId }) => abilityId === ability);
  return workflow && { decision: 'workflow', target: { abilityId: ability }, effects: workflow.effects };
}
