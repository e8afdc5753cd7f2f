import type { Effect } from '../../contracts/effects.js';
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

/** An ability that fits a text, best first; from 0 to 1. */
export interface Fit {
  abilityId: string;
  score: number;
  /** Why, in one sentence without a full stop. */
  reason?: string;
  /** Words of the text that it has. */
  words?: readonly string[];
  /** Another way to do what the one before it does; a person says which. */
  isAlternative?: boolean;
  /** Why it cannot be called here, in one sentence without a full stop. */
  unavailable?: string;
}

/** How the abilities among the targets fit a text. */
export type RankTargets = (text: string) => Promise<readonly Fit[]>;

/** The ids of abilities that share something with a text, up to a limit, the nearest first. */
export type ShortlistTargets = (text: string, limit: number) => Promise<readonly string[]>;

/** The input of a router. */
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

/** The proposal of a router, before it is checked against the limits. */
export interface Proposal extends RouterAnswer {
  /** With `clarify`. */
  question: string | null;
  /** At most two. */
  options: Choice[];
}

/** Targets that change nothing outside of the reply. Source: R-003-18, R-003-20; C-27. */
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

/** The kind of target that an ability is; undefined: it cannot be called. */
export function targetFor(
  { tools, workflows }: Targets,
  ability: string,
): { decision: 'tool' | 'workflow'; target: RouteTarget; effects: Effect; summary: string } | undefined {
  const tool = tools.find(({ abilityId }) => abilityId === ability);
  if (tool) {
    if (!tool.available) return undefined;
    const { extensionId, capabilityId, effects, summary } = tool;
    return { decision: 'tool', target: { extensionId, capabilityId }, effects, summary };
  }
  const workflow = workflows.find(({ abilityId }) => abilityId === ability);
  if (!workflow) return undefined;
  const { effects, summary } = workflow;
  return { decision: 'workflow', target: { abilityId: ability }, effects, summary };
}
