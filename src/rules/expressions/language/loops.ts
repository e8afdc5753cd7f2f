import { type Node, walk } from '../syntax/node.js';
import { Failure, itemsOf, keysOf, kindOf, List } from './kinds.js';
import { type Evaluation, failing, noOverload, type Part, type Place } from './overloads.js';

/** Nodes of a body that count as one visit: evaluating them takes about as long as reading a value. */
const NODES_A_VISIT = 3;

type Run = Part['run'];
type Loop = (items: readonly unknown[], at: Turn, bodies: [Run, Run]) => unknown;
interface Turn {
  (body: Run, item: unknown): unknown;
  cost: Evaluation['cost'];
}

const LOOPS: Record<string, { loop: Loop; kind: Part['kind'] }> = {
  'all/2': {
    loop: (items, at, [body]) => decided(items, (item) => asBool('all', at(body, item)), false, at.cost),
    kind: 'bool',
  },
  'exists/2': {
    loop: (items, at, [body]) => decided(items, (item) => asBool('exists', at(body, item)), true, at.cost),
    kind: 'bool',
  },
  'exists_one/2': { loop: one, kind: 'bool' },
  'existsOne/2': { loop: one, kind: 'bool' },
  'filter/2': {
    loop: (items, at, [body]) => new List(items.filter((item) => asBool('filter', at(body, item)))),
    kind: 'list',
  },
  'map/2': { loop: (items, at, [body]) => new List(items.map((item) => at(body, item))), kind: 'list' },
  'map/3': {
    loop: (items, at, [condition, body]) =>
      new List(items.flatMap((item) => (asBool('map', at(condition, item)) ? [at(body, item)] : []))),
    kind: 'list',
  },
};

/** Compiles a macro, which binds a variable to each item of a list, or to each key of a map. */
export function compileLoop(name: string, target: Node, [variable, ...written]: Node[], place: Place): Part {
  const range = place.compile(target, place);
  if (range.kind !== 'any' && range.kind !== 'list' && range.kind !== 'map') return failing(noRange(range.kind), place);
  const inner = { ...place, bound: [...place.bound, (variable as Node).args as string] };
  const bodies = written.map((body) => inner.compile(body, inner).run) as [Run, Run];
  const visitsPerTurn = 1 + Math.floor(nodesOf(written) / NODES_A_VISIT);
  const { loop, kind } = LOOPS[`${name}/${written.length + 1}`] as (typeof LOOPS)[string];
  const depth = place.bound.length;
  return {
    run: (evaluation) => {
      const value = range.run(evaluation);
      const rangeKind = kindOf(value);
      if (rangeKind !== 'list' && rangeKind !== 'map') throw noRange(rangeKind);
      // Charges all turns before the first, so that a too long loop does not begin.
      evaluation.cost.spendOn(value, visitsPerTurn);
      const items = rangeKind === 'list' ? itemsOf(value as object) : keysOf(value as object);
      return loop(items, turnIn(evaluation, depth), bodies);
    },
    kind,
  };
}

function turnIn(evaluation: Evaluation, depth: number): Turn {
  const turn = (body: Run, item: unknown): unknown => {
    evaluation.bound[depth] = item;
    return body(evaluation);
  };
  return Object.assign(turn, { cost: evaluation.cost });
}

function nodesOf(bodies: readonly Node[]): number {
  let nodes = 0;
  for (const body of bodies) walk(body, () => (nodes += 1));
  return nodes;
}

function noRange(kind: string): Failure {
  return new Failure(`a value of type ${kind} cannot be range of a macro: found no matching overload`);
}

function asBool(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new Failure(`the condition of ${name}() must return bool: ${noOverload(name, [kindOf(value)]).summary}`);
}

/** The first deciding item decides, even after failures. If none decides, the first failure is thrown. */
function decided(
  items: readonly unknown[],
  ask: (item: unknown) => boolean,
  deciding: boolean,
  cost: Evaluation['cost'],
): boolean {
  let failed: { error: unknown } | undefined;
  for (const item of items) {
    try {
      if (ask(item) === deciding) return deciding;
    } catch (error) {
      if (cost.isExceeded) throw error;
      failed ??= { error };
    }
  }
  if (failed) throw failed.error;
  return !deciding;
}

function one(items: readonly unknown[], at: Turn, [body]: [Run, Run]): boolean {
  let found = 0;
  for (const item of items) if (asBool('exists_one', at(body, item))) found += 1;
  return found === 1;
}
