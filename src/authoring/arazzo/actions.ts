import { listOf, memberOf, type Part, textOf } from '../openapi/document-parts.js';
import { joinBy, resolveReusable } from './components.js';
import { NotTranslated } from './not-translated.js';

/** One action of a step, with its place. */
export interface Action {
  type: 'end' | 'goto' | 'retry';
  criteria: unknown;
  place: string;
  stepId?: string;
  workflowId?: string;
  parameters: Part[];
  retryAfter: number;
  retryLimit: number;
}

/**
 * The actions of a step, those of its workflow behind its own; an action of the step takes the place of one with its name.
 *
 * @throws NotTranslated for a type that there is not.
 */
export function actionsOf(
  document: Part,
  workflow: Part,
  step: Part,
  kind: 'success' | 'failure',
  place: string,
): Action[] {
  const [own, shared] = kind === 'success' ? ['onSuccess', 'successActions'] : ['onFailure', 'failureActions'];
  const list = `${kind}Actions`;
  const lists = [
    resolveReusable(document, memberOf(step, own), list, `${place}.${own}`),
    resolveReusable(document, memberOf(workflow, shared), list, shared),
  ] as const;
  const nameOf = (action: Part): string => String(memberOf(action, 'name'));
  const named = new Set(lists[0].map(nameOf));
  const all = joinBy(
    nameOf,
    lists[0],
    lists[1].filter((action) => !named.has(nameOf(action))),
  );
  return all.map((action) => actionOf(document, action, kind, `${place}.${own}.${nameOf(action)}`));
}

function actionOf(document: Part, action: Part, kind: string, place: string): Action {
  const type = memberOf(action, 'type');
  const isKnown = type === 'end' || type === 'goto' || (type === 'retry' && kind === 'failure');
  if (!isKnown) throw new NotTranslated(`an action of type ${String(type)} is not known`, place);
  const [stepId, workflowId] = [textOf(memberOf(action, 'stepId')), textOf(memberOf(action, 'workflowId'))];
  if (type === 'goto' && (stepId === undefined) === (workflowId === undefined)) {
    throw new NotTranslated('a goto has either a stepId or a workflowId', place);
  }
  const after = memberOf(action, 'retryAfter') ?? 0;
  const limit = memberOf(action, 'retryLimit') ?? 1;
  if (typeof after !== 'number' || typeof limit !== 'number' || after < 0 || limit < 0 || !Number.isInteger(limit)) {
    throw new NotTranslated('its retryAfter or retryLimit is no number', place);
  }
  return {
    type,
    criteria: listOf(memberOf(action, 'criteria')),
    place,
    ...(stepId !== undefined && { stepId }),
    ...(workflowId !== undefined && { workflowId }),
    parameters: resolveReusable(document, memberOf(action, 'parameters'), 'parameters', `${place}.parameters`),
    retryAfter: after,
    retryLimit: limit,
  };
}
