import type { PlanHandler } from '../../contracts/plan.js';
import { compileExpression } from '../expressions/evaluate.js';

type ExpressionHandler = Extract<PlanHandler, { kind: 'expression' }>;

/** Comparisons of the session with null look at nothing that it did. */
const WHETHER_THERE = /(?<![\w.])session\s*[!=]=\s*null\b|\bnull\s*[!=]=\s*session\b(?!\s*[.[?(])/g;

/** The conditions of a handler that is an expression. */
function conditionsOf({ deny_if, confirm_if, warn_if }: Pick<ExpressionHandler, 'deny_if' | 'confirm_if' | 'warn_if'>) {
  return [deny_if, confirm_if, warn_if].filter((condition) => condition !== undefined);
}

/** Whether a condition reads the history of its session. @throws AbilityError `expression.*` for an invalid one. */
export function readsSession(condition: string): boolean {
  return readIn(condition).length > 0;
}

/** Whether a handler does. */
export function handlerReadsSession(handler: PlanHandler): handler is ExpressionHandler {
  return handler.kind === 'expression' && conditionsOf(handler).some(readsSession);
}

/** Whether a handler looks at the calls one by one, and not at their numbers alone. */
export function readsCalls(handler: ExpressionHandler): boolean {
  return conditionsOf(handler).some((condition) => readIn(condition).some((member) => member !== 'counts'));
}

/** The members that are read of the session, besides its id; `''` where the session is used as a whole. */
function readIn(condition: string): string[] {
  if (!condition.includes('session')) return [];
  const { references } = compileExpression(condition.replaceAll(WHETHER_THERE, 'true'));
  return references.flatMap(({ name, path: [member = ''] }) => (name === 'session' && member !== 'id' ? [member] : []));
}
