import { Context } from '@temporalio/activity';
import { decideInProject } from '../choosing/decide/decide-in-project.js';
import { AbilityError } from '../contracts/problem.js';
import type { DecideRequest, RoutingDecision } from '../contracts/routing.js';
import { ATTRIBUTES, OWN_SPANS } from '../contracts/traces.js';
import type { Registry } from '../definitions/registry.js';
import { DECIDING } from '../planning/route-targets.js';
import { inOwnTrace } from '../tracing/current-span.js';
import type { Tracer } from '../tracing/tracer.js';
import { toFailure } from './failures.js';

/** What deciding needs of a worker. */
export interface DecideDependencies {
  /** The definitions of the project as they are now; left out: there are none here. */
  definitions?: (() => Registry) | undefined;
  /** Left out: that of this process. */
  env?: NodeJS.ProcessEnv | undefined;
  /** Left out: no traces are written. */
  tracer?: Tracer | undefined;
}

/**
 * The activity that decides about the last message of a thread, with what the worker has: for workflows that drive a conversation. It calls
 * nothing. Source: R-003-03.
 */
export function createDecide({ definitions, env = process.env, tracer }: DecideDependencies) {
  return async ({ thread, environment, scope }: DecideRequest): Promise<RoutingDecision> => {
    const { cancellationSignal: signal, info } = Context.current();
    try {
      if (!info.workflowExecution) throw outsideOfWorkflow();
      if (!definitions) throw new Error('There are no definitions here to decide by');
      const place = { registry: definitions(), environment, scope, env, signal };
      const span = { name: OWN_SPANS.decide, attributes: { [ATTRIBUTES.environment]: environment } };
      return (await inOwnTrace(tracer, span, () => decideInProject(place, thread, DECIDING))).decision;
    } catch (error) {
      throw toFailure(error);
    }
  };
}

/** As for every activity but preflight: outside of a workflow none does anything. */
function outsideOfWorkflow(): AbilityError {
  return new AbilityError({ code: 'seal.invalid', message: 'Nothing is decided outside of a workflow' });
}
