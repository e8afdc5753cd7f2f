import type { Json } from '../contracts/json.js';
import type { ErrorHandlerDefinition, StepDefinition } from './formats/steps.js';

/** What an expression at a place must yield. */
export type Belongs =
  /** Bare CEL that yields true or false. */
  | 'condition'
  /** Bare CEL that yields true, false or a time. */
  | 'moment'
  /** Bare CEL that yields a list. */
  | 'list'
  /** A template, or a value with templates; the same for all below. */
  | 'text'
  | 'duration'
  | 'count'
  | 'parameters'
  | 'output'
  | 'value';

/** Places with bare CEL, without `${{ }}`. */
export const BARE: ReadonlySet<string> = new Set<Belongs>(['condition', 'moment', 'list']);

/** When an expression of a step is evaluated. */
type Phase = 'before' | 'turn' | 'undo' | 'handler' | 'end';

export interface StepExpression {
  /** Relative to the step, in the file. */
  path: PropertyKey[];
  value: Json;
  belongs: Belongs;
  phase: Phase;
  /** Index of the handler in the phase `handler`. */
  number: number;
  /**
   * What it sees besides the names around the step. `turn`: those of its turns; `signal`: `signal`; `template`:
   * nothing of the loops around it; `attempt`: only the failed attempt.
   */
  sees?: 'turn' | 'signal' | 'template' | 'attempt';
  /** The ability that receives these parameters. */
  call?: string;
}

type More = Partial<Pick<StepExpression, 'phase' | 'sees' | 'call'>>;

/** All expressions of a step, without those of nested steps. */
export function expressionsOf(step: StepDefinition): StepExpression[] {
  return [
    ...found(['if'], step.if, 'condition'),
    ...found(['timeout'], step.timeout, 'duration'),
    ...expressionsOfVerb(step),
    ...handlerOutputs(step.on_error, 'value'),
  ];
}

export function handlerOutputs(
  handlers: readonly ErrorHandlerDefinition[] = [],
  belongs: Belongs = 'output',
): StepExpression[] {
  return handlers.flatMap(({ output }, number) =>
    found(['on_error', number, 'output'], output, belongs, { phase: 'handler' }).map((one) => ({ ...one, number })),
  );
}

/** The expressions of a step's verb. A new verb needs a case here. */
function expressionsOfVerb(step: StepDefinition): StepExpression[] {
  switch (step.verb) {
    case 'call': {
      const { call, with: input = {}, undo } = step;
      return [
        ...found(['with'], input, 'parameters', { call }),
        ...(undo ? found(['undo', 'with'], undo.with ?? {}, 'parameters', { call: undo.call, phase: 'undo' }) : []),
        ...retries(step),
      ];
    }
    case 'approval':
      return [
        ...found(['approval', 'title'], step.approval.title, 'text'),
        ...found(['approval', 'timeout'], step.approval.timeout, 'duration'),
      ];
    case 'parallel':
      return found(['max_parallel'], step.max_parallel, 'count');
    case 'foreach':
      return [
        ...found(['max_parallel'], step.max_parallel, 'count'),
        ...found(['foreach'], step.foreach, typeof step.foreach === 'string' ? 'list' : 'value'),
        ...found(['label'], step.label, 'text', { sees: 'turn' }),
      ];
    case 'switch':
      return step.switch.flatMap((item, number) =>
        'else' in item ? [] : found(['switch', number, 'if'], item.if, 'condition'),
      );
    case 'repeat':
      return [
        ...found(['repeat', 'max'], step.repeat.max, 'count'),
        ...found(['repeat', 'until'], step.repeat.until, 'condition', { phase: 'turn', sees: 'turn' }),
        ...found(['repeat', 'every'], step.repeat.every, 'duration', { phase: 'turn', sees: 'turn' }),
      ];
    case 'wait': {
      const { wait } = step;
      if (typeof wait === 'string') return found(['wait'], wait, 'duration');
      if ('until' in wait) return found(['wait', 'until'], wait.until, 'moment');
      return [
        ...found(['wait', 'if'], wait.if, 'condition', { sees: 'signal' }),
        ...found(['wait', 'timeout'], wait.timeout, 'duration'),
      ];
    }
    case 'steps':
      return [
        ...retries(step),
        ...found(['output'], step.expanded?.output, 'value', { phase: 'end', sees: 'template' }),
      ];
    case 'let':
      return found(['let'], step.let, 'value');
    case 'fail':
      return [
        ...found(['fail', 'message'], step.fail.message, 'text'),
        ...found(['fail', 'details'], step.fail.details, 'value'),
      ];
    case 'end':
      return found(['end', 'output'], step.end?.output, 'output');
    case 'race':
    case 'template':
      return [];
  }
}

function retries({ retry }: { retry?: { first: string; max: string; if?: string } | undefined }): StepExpression[] {
  return [
    ...found(['retry', 'if'], retry?.if, 'condition', { sees: 'attempt' }),
    ...found(['retry', 'first'], retry?.first, 'duration'),
    ...found(['retry', 'max'], retry?.max, 'duration'),
  ];
}

function found(path: PropertyKey[], value: Json | undefined, belongs: Belongs, more: More = {}): StepExpression[] {
  return value === undefined ? [] : [{ phase: 'before', number: 0, path, value, belongs, ...more }];
}
