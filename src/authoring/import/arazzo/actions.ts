import { isPart, listOf, memberOf, type Part, partOf, textOf } from '../openapi/document-parts.js';
import { NotTranslated } from './not-translated.js';

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

/** Step actions before the workflow's that have other names. @throws NotTranslated for an unknown type. */
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

/** Resolves reusable objects of `components[kind]`. @throws NotTranslated for a dangling reference. */
export function resolveReusable(document: Part, list: unknown, kind: string, place: string): Part[] {
  return listOf(list).map((item, index) => {
    const at = `${place}[${index}]`;
    if (!isPart(item)) throw new NotTranslated('it is no map', at);
    const reference = memberOf(item, 'reference');
    if (reference === undefined) return item;
    const name = String(reference).startsWith(`$components.${kind}.`)
      ? String(reference).slice(`$components.${kind}.`.length)
      : '';
    const found = memberOf(partOf(memberOf(memberOf(document, 'components'), kind)), name);
    if (!isPart(found)) throw new NotTranslated(`${String(reference)} is not in components.${kind}`, at);
    const value = memberOf(item, 'value');
    return value === undefined ? found : { ...found, value };
  });
}

/** Joins lists; a later entry replaces an earlier one with the same key. */
export function joinBy(keyOf: (item: Part) => string, ...lists: Part[][]): Part[] {
  return [...new Map(lists.flat().map((item) => [keyOf(item), item])).values()];
}

/** Error code of a step whose call succeeded, but not by the step's criteria. */
export const NOT_MET = 'criteria.not_met';

/** All failures of a call that a retry or another step may handle. */
export const ANY_FAILURE: readonly string[] = ['http', 'unavailable', 'timeout', 'criteria'];

/**
 * The failure codes that a failure action's criteria match; undefined: no criteria, matches all. Of a failed call
 * only the status is known. @throws NotTranslated for conditions on anything but `$statusCode`.
 */
export function failureCodes(criteria: unknown, place: string): string[] | undefined {
  const list = listOf(criteria);
  if (list.length === 0) return undefined;
  const [only] = list;
  const condition = memberOf(only, 'condition');
  const type = memberOf(only, 'type') ?? 'simple';
  const codes =
    list.length === 1 && isPart(only) && type === 'simple' && typeof condition === 'string'
      ? condition.split('||').map((part) =>
          codeOf(
            part
              .trim()
              .replace(/^\((.*)\)$/, '$1')
              .trim(),
          ),
        )
      : [undefined];
  if (codes.every((code) => code !== undefined)) return codes;
  throw new NotTranslated(
    `of a failure only \`$statusCode == N\` with a status from 300 on, and \`$statusCode >= 500\`, can be asked (\`${String(condition).slice(0, 80)}\`)`,
    place,
  );
}

function codeOf(condition: string): string | undefined {
  if (/^\$statusCode\s*>=\s*500$/.test(condition)) return 'http.5xx';
  const [, status] = /^\$statusCode\s*==\s*([3-5]\d\d)$/.exec(condition) ?? [];
  return status === undefined ? undefined : `http.${status}`;
}
