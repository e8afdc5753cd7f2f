/** Decides about requests in plain words, and recruits for them, without a server. Public; decision 0018. */
export type {
  AgentTarget,
  Choice,
  FocusContext,
  LaneMessage,
  Pending,
  RecruitmentResult,
  RouteDecision,
  RouterAnswer,
  RouteTarget,
  RoutingDecision,
  Targets,
  ToolTarget,
  WorkflowTarget,
} from '../contracts/routing.js';
export { type Accounted, accountFor, type Known } from './account-for.js';
export { type DecideInput, decide, type Router, RouterFault } from './decide/decide.js';
export { focusOf, type Thread } from './decide/focus.js';
export { modelRouter, type RouterModel } from './decide/model-router.js';
export type { AccountFor, Fit, Proposal, RankTargets, RouterInput, ShortlistTargets } from './decide/targets.js';
export { inferCapabilities, type Recruitment, recruit } from './recruit/recruit.js';
