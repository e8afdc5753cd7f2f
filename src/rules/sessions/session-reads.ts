import type { PlanHandler } from '../../contracts/plan.js';
import { compileExpression } from '../expressions/evaluate.js';

export type ExpressionHandler = Extract<PlanHandler, { kind: 'expression' }>;

/** Comparisons of the session with null, which read nothing of its history. */
const WHETHER_THERE = /(?<![\w.])session\s*[!=]=\s*null\b|\bnull\s*[!=]=\s*session\b(?!\s*[.[?(])/g;

function conditionsOf({ deny_if, confirm_if, warn_if }: Pick<ExpressionHandler, 'deny_if' | 'confirm_if' | 'warn_if'>) {
  return [deny_if, confirm_if, warn_if].filter((condition) => condition !== undefined);
}

/** Whether it reads the history of its session. @throws AbilityError `expression.*` for an invalid one. */
export function readsSession(condition: string): boolean {
  return readIn(condition).length > 0;
}

export function handlerReadsSession(handler: PlanHandler): handler is ExpressionHandler {
  return handler.kind === 'expression' && conditionsOf(handler).some(readsSession);
}

/** Whether it reads by how much people have raised its limit. */
export function readsRaised(condition: string): boolean {
  return readIn(condition).includes('raised');
}

/** Whether a handler reads individual calls, not only their counts. */
export function readsCalls(handler: ExpressionHandler): boolean {
  return conditionsOf(handler).some((condition) =>
    readIn(condition).some((member) => member !== 'counts' && member !== 'raised'),
  );
}

/** Whether a hook of a session event may read a member of its payload; expressions read it as `input`. */
export function readsPayload(handler: PlanHandler, member: string): boolean {
  if (handler.kind !== 'expression') return true;
  const references = conditionsOf(handler).flatMap((condition) => compileExpression(condition).references);
  return references.some(({ name, path: [first = member] }) => name === 'input' && first === member);
}

/** Members of `session` that a condition reads, besides `id`; `''` if it uses the session as a whole. */
function readIn(condition: string): string[] {
  if (!condition.includes('session')) return [];
  const { references } = compileExpression(condition.replaceAll(WHETHER_THERE, 'true'));
  return references.flatMap(({ name, path: [member = ''] }) => (name === 'session' && member !== 'id' ? [member] : []));
}
