import type { Node } from '../syntax/node.js';
import type { Cost } from './cost.js';
import { Failure, type Kind, kindOf } from './kinds.js';

export type Wanted = Kind | 'any';

/** `any` if it depends on the operands. */
export type Result = Kind | 'any' | 'list<string>';

export interface Overload {
  /** A method's receiver comes first. */
  operands: readonly Wanted[];
  result: Result;
  run: (operands: never[], context: CallContext) => unknown;
}

export interface CallContext {
  cost: Cost;
  /** Nanoseconds since 1970. */
  now: () => bigint;
  uuid: () => string;
}

export interface Callable {
  name: string;
  overloads: readonly Overload[];
  /** What it reads of its operands, and so pays for: their top level, all of them, or nothing. */
  reads: 'members' | 'all' | 'nothing';
}

/** @param signature kinds of the operands, then `->` and the result: `string int -> string`. */
export function overload<T extends unknown[]>(
  signature: string,
  run: (operands: T, context: CallContext) => unknown,
): Overload {
  const [operands = '', result = ''] = signature.split('->').map((part) => part.trim());
  return {
    operands: operands === '' ? [] : (operands.split(' ') as Wanted[]),
    result: result as Result,
    run: run as unknown as Overload['run'],
  };
}

/** The overloads that may match these kinds; an operand of kind `any` matches everything. */
export function overloadsFor(callable: Callable, kinds: readonly Wanted[]): Overload[] {
  return callable.overloads.filter((one) => fits(one.operands, kinds));
}

function fits(wanted: readonly Wanted[], kinds: readonly Wanted[]): boolean {
  if (wanted.length !== kinds.length) return false;
  for (let index = 0; index < wanted.length; index += 1) {
    const [one, kind] = [wanted[index], kinds[index]];
    if (one !== kind && one !== 'any' && kind !== 'any') return false;
  }
  return true;
}

/** @throws Failure if no overload takes such operands. */
export function callWith(callable: Callable, operands: unknown[], context: CallContext): unknown {
  const { cost } = context;
  if (callable.reads === 'members') for (const operand of operands) cost.spendOn(operand);
  if (callable.reads === 'all') for (const operand of operands) cost.spendDeeplyOn(operand);
  for (const one of callable.overloads) {
    if (takes(one.operands, operands)) return one.run(operands as never[], context);
  }
  throw noOverload(callable.name, operands.map(kindOf));
}

function takes(wanted: readonly Wanted[], operands: readonly unknown[]): boolean {
  if (wanted.length !== operands.length) return false;
  for (let index = 0; index < wanted.length; index += 1) {
    if (wanted[index] !== 'any' && wanted[index] !== kindOf(operands[index])) return false;
  }
  return true;
}

export function noOverload(name: string, kinds: readonly Wanted[]): Failure {
  const given = kinds.map((kind) => (kind === 'any' ? 'dyn' : kind));
  const isWord = /^\w/.test(name);
  const written = isWord
    ? `${name}(${given.join(', ')})`
    : given.length === 1
      ? `${name}${given[0]}`
      : given.join(` ${name} `);
  return new Failure(`found no matching overload for '${written}'`);
}

export interface Evaluation extends CallContext {
  values: { readonly [name: string]: unknown };
  /** Variables of the enclosing macros, outermost first. */
  bound: unknown[];
}

export interface Part {
  /** @throws Failure. */
  run: (evaluation: Evaluation) => unknown;
  kind: Wanted;
}

/** What a part is compiled with. `bound`: the variables of the enclosing macros, outermost first. */
export interface Place {
  /** Compiles an inner part. A member, since importing `compilePart` would be circular. */
  compile: (node: Node, place: Place) => Part;
  bound: readonly string[];
  /** Collects failures that are certain: unknown functions, operands that no overload takes. */
  failures: Failure[];
}

/** Records a failure that is certain; the part also throws it when it runs. */
export function failing(failure: Failure, place: Place): Part {
  place.failures.push(failure);
  return {
    run: () => {
      throw failure;
    },
    kind: 'any',
  };
}
