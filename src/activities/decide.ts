import { decideInProject } from '../choosing/decide/decide-in-project.js';
import { AbilityError } from '../contracts/problem.js';
import type { DecideRequest, RoutingDecision } from '../contracts/routing.js';
import { ATTRIBUTES, OWN_SPANS } from '../contracts/traces.js';
import { DECIDING } from '../planning/route-targets.js';
import { inOwnTrace } from '../tracing/current-span.js';
import type { ActivityDependencies } from './dependencies.js';
import { activityOf } from './failures.js';

/** Decides about a thread's last message by the worker's definitions; calls no ability. Source: R-003-03. */
export function createDecide({
  definitions,
  env = process.env,
  tracer,
}: Pick<ActivityDependencies, 'definitions' | 'env' | 'tracer'>) {
  return activityOf(async (request: DecideRequest, context): Promise<RoutingDecision> => {
    // Like every activity except preflight, it runs only in a workflow.
    if (!context.info.workflowExecution) {
      throw new AbilityError({ code: 'seal.invalid', message: 'Nothing is decided outside of a workflow' });
    }
    if (!definitions) throw new Error('There are no definitions here to decide by');
    const { thread, environment, scope } = request;
    const place = { registry: definitions(), environment, scope, env, signal: context.cancellationSignal };
    const span = { name: OWN_SPANS.decide, attributes: { [ATTRIBUTES.environment]: environment } };
    return (await inOwnTrace(tracer, span, () => decideInProject(place, thread, DECIDING))).decision;
  });
}
