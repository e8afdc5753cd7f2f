import { isLoop, type Node } from '../syntax/node.js';
import { isZone } from '../zones/named-zones.js';
import { areEqual } from './compare.js';
import { FUNCTIONS, METHODS, OPTIONAL_FUNCTIONS } from './functions.js';
import {
  Dictionary,
  Failure,
  fail,
  idOfKey,
  itemsOf,
  kindOf,
  List,
  Maybe,
  TYPE_NAMES,
  TypeName,
  toCel,
  valueAt,
} from './kinds.js';
import { compileLoop } from './loops.js';
import { compileHas, compileIndex, compileMember } from './members.js';
import { OPERATORS } from './operators.js';
import {
  type Callable,
  callWith,
  type Evaluation,
  failing,
  noOverload,
  overloadsFor,
  type Part,
  type Place,
  type Wanted,
} from './overloads.js';

const TYPES: ReadonlyMap<string, TypeName> = new Map(
  Object.values(TYPE_NAMES)
    .filter((name) => !name.includes('.'))
    .map((name) => [name, new TypeName(name)]),
);

/** A certain failure occurs only at evaluation, as in CEL without a checker. */
export function compilePart(node: Node, place: Place): Part {
  const { op, args } = node;
  switch (op) {
    case 'value': {
      const kind = kindOf(args);
      return { run: () => args, kind };
    }
    case 'id':
      return compileName(node, place);
    case '.':
    case '.?':
      return compileMember(node, place);
    case '[]':
    case '[?]':
      return compileIndex(node, place);
    case 'list': {
      const items = (args as Node[]).map((item) => compilePart(item, place).run);
      return { run: (evaluation) => new List(items.map((item) => item(evaluation))), kind: 'list' };
    }
    case 'map':
      return compileMap(args as [Node, Node][], place);
    case 'call':
      return compileCall(args as [string, Node[]], place);
    case 'rcall':
      return compileMethod(args as [string, Node, Node[]], place);
    case '?:':
      return compileTernary(args as [Node, Node, Node], place);
    case '&&':
    case '||':
      return compileLogical(op === '&&', args as [Node, Node], place);
    case '==':
    case '!=':
      return compileEquality(op === '==', args as [Node, Node], place);
    case 'in':
      return compileMembership(args as [Node, Node], place);
    default: {
      const operands = Array.isArray(args) ? (args as Node[]) : [args as Node];
      return compileCallable(OPERATORS.get(op) as Callable, operands, place);
    }
  }
}

function compileName(node: Node, place: Place): Part {
  const name = node.args as string;
  const depth = node.isGlobal ? -1 : place.bound.lastIndexOf(name);
  if (depth >= 0) return { run: ({ bound: values }) => values[depth], kind: 'any' };
  const type = TYPES.get(name);
  return {
    run: ({ values }) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (value !== undefined) return toCel(value);
      if (type) return type;
      throw new Failure(`unknown variable ${name}`, node);
    },
    kind: 'any',
  };
}

function compileMap(written: [Node, Node][], place: Place): Part {
  const parts = written.map((entry) => entry.map((part) => compilePart(part, place).run) as [Part['run'], Part['run']]);
  return {
    run: (evaluation) => {
      const entries = new Map<string, readonly [unknown, unknown]>();
      for (const [writtenKey, writtenValue] of parts) {
        const key = writtenKey(evaluation);
        if (typeof key === 'number') fail('a key of a map is a text, a whole number, or true or false');
        const id = idOfKey(key);
        if (entries.has(id)) fail(`a map has the key ${String(key)} twice`);
        entries.set(id, [key, writtenValue(evaluation)]);
      }
      return new Dictionary(entries);
    },
    kind: 'map',
  };
}

function compileCall([name, args]: [string, Node[]], place: Place): Part {
  if (name === 'has' && args.length === 1) return compileHas(args[0] as Node, place);
  return compileNamed(FUNCTIONS.get(name), name, args, place);
}

function compileMethod([name, target, args]: [string, Node, Node[]], place: Place): Part {
  if (target.op === 'id' && target.args === 'optional' && !place.bound.includes('optional')) {
    return compileNamed(OPTIONAL_FUNCTIONS.get(name), `optional.${name}`, args, place);
  }
  if (target.op === 'id' && target.args === 'cel') return failing(new UnknownFunction(`cel.${name}`), place);
  if (isLoop(name, args)) return compileLoop(name, target, args, place);
  if ((name === 'or' || name === 'orValue') && args.length === 1)
    return compileOr(name, target, args[0] as Node, place);
  return compileNamed(METHODS.get(name), name, [target, ...args], place);
}

function compileOr(name: string, target: Node, other: Node, place: Place): Part {
  const [first, second] = [compilePart(target, place), compilePart(other, place)];
  const asOptional = (value: unknown): Maybe => (value instanceof Maybe ? value : fail(`${name}() takes an optional`));
  return {
    run: (evaluation) => {
      const maybe = asOptional(first.run(evaluation));
      if (maybe.value !== undefined) return name === 'or' ? maybe : maybe.value;
      const value = second.run(evaluation);
      return name === 'or' ? asOptional(value) : value;
    },
    kind: name === 'or' ? 'optional' : 'any',
  };
}

function compileNamed(callable: Callable | undefined, name: string, args: Node[], place: Place): Part {
  return callable ? compileCallable(callable, args, place) : failing(new UnknownFunction(name), place);
}

function compileCallable(callable: Callable, args: Node[], place: Place): Part {
  const parts = args.map((arg) => compilePart(arg, place));
  const kinds = parts.map(({ kind }) => kind);
  const fitting = overloadsFor(callable, kinds);
  const [first] = fitting;
  if (!first) return failing(noOverload(callable.name, kinds), place);
  noteUnknownZone(callable, args, place);
  const isOne = fitting.every(({ result }) => result === first.result);
  const kind = !isOne ? 'any' : first.result === 'list<string>' ? 'list' : first.result;
  return { run: runOf(callable, parts), kind };
}

/** Avoids a loop for two operands, the usual number. */
function runOf(callable: Callable, parts: Part[]): Part['run'] {
  const [first, second] = parts;
  if (first && second && parts.length === 2) {
    return (evaluation) => callWith(callable, [first.run(evaluation), second.run(evaluation)], evaluation);
  }
  return (evaluation) =>
    callWith(
      callable,
      parts.map(({ run }) => run(evaluation)),
      evaluation,
    );
}

/** Reports an unknown time zone that is a literal, before anything runs. */
function noteUnknownZone({ name, overloads }: Callable, [, zone]: Node[], { failures }: Place): void {
  const isOfTime = overloads.some(({ operands: [of, by] }) => of === 'timestamp' && by === 'string');
  if (!isOfTime || zone?.op !== 'value' || typeof zone.args !== 'string' || isZone(zone.args)) return;
  const call = `${name}(${JSON.stringify(zone.args)})`;
  failures.push(new Failure(`${call}: there is no such time zone; name one such as Europe/Berlin, or an offset`));
}

export class UnknownFunction extends Failure {
  constructor(readonly name: string) {
    super(`There is no function ${name}`);
  }
}

function compileTernary(parts: [Node, Node, Node], place: Place): Part {
  const [condition, whenTrue, whenFalse] = parts.map((part) => compilePart(part, place)) as [Part, Part, Part];
  return {
    run: (evaluation) => {
      const chosen = condition.run(evaluation);
      if (typeof chosen !== 'boolean') throw noOverload('_?_:_', [kindOf(chosen), 'any', 'any']);
      return chosen ? whenTrue.run(evaluation) : whenFalse.run(evaluation);
    },
    kind: whenTrue.kind === whenFalse.kind ? whenTrue.kind : 'any',
  };
}

/** A deciding side decides, even if the other side fails. */
function compileLogical(isAnd: boolean, sides: [Node, Node], place: Place): Part {
  const [left, right] = sides.map((side) => compilePart(side, place).run) as [Part['run'], Part['run']];
  const deciding = !isAnd;
  const ask = (side: Part['run'], evaluation: Evaluation): boolean => {
    const value = side(evaluation);
    if (typeof value === 'boolean') return value;
    throw noOverload(isAnd ? '&&' : '||', [kindOf(value), 'bool']);
  };
  return {
    run: (evaluation) => {
      let first: boolean;
      try {
        first = ask(left, evaluation);
      } catch (error) {
        if (evaluation.cost.isExceeded) throw error;
        if (ask(right, evaluation) === deciding) return deciding;
        throw error;
      }
      return first === deciding ? deciding : ask(right, evaluation);
    },
    kind: 'bool',
  };
}

function compileEquality(isEqual: boolean, sides: [Node, Node], place: Place): Part {
  const [left, right] = sides.map((side) => compilePart(side, place).run) as [Part['run'], Part['run']];
  return {
    run: (evaluation) => {
      const [a, b] = [left(evaluation), right(evaluation)];
      evaluation.cost.spendDeeplyOn(a);
      evaluation.cost.spendDeeplyOn(b);
      return areEqual(a, b) === isEqual;
    },
    kind: 'bool',
  };
}

function compileMembership(sides: [Node, Node], place: Place): Part {
  const [item, range] = sides.map((side) => compilePart(side, place)) as [Part, Part];
  const refused = (kind: Wanted): Failure => noOverload('in', [item.kind, kind]);
  if (range.kind !== 'any' && range.kind !== 'list' && range.kind !== 'map') return failing(refused(range.kind), place);
  return {
    run: (evaluation) => {
      const [wanted, there] = [item.run(evaluation), range.run(evaluation)];
      evaluation.cost.spendDeeplyOn(wanted);
      evaluation.cost.spendDeeplyOn(there);
      const kind = kindOf(there);
      if (kind === 'list') return itemsOf(there as object).some((one) => areEqual(wanted, one));
      if (kind !== 'map') throw refused(kind);
      return isKey(there as object, wanted);
    },
    kind: 'bool',
  };
}

/** False for a value that cannot be a key. */
function isKey(map: object, key: unknown): boolean {
  const kind = kindOf(key);
  const canBe = kind === 'string' || kind === 'bool' || kind === 'int' || kind === 'uint' || kind === 'double';
  return canBe && valueAt(map, key) !== undefined;
}
