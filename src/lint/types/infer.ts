import { FUNCTIONS, METHODS } from '../../rules/expressions/language/functions.js';
import { OPERATORS } from '../../rules/expressions/language/operators.js';
import { type Callable, overloadsFor, type Result, type Wanted } from '../../rules/expressions/language/overloads.js';
import { isLoop, type Node } from '../../rules/expressions/syntax/node.js';
import { writeExpression } from '../../rules/expressions/write.js';
import { shorten } from '../../text/shorten.js';
import { neverEqual } from './compare.js';
import { parseExpression, pathOf, presentAfter, textOf } from './read-expression.js';
import {
  type Alternative,
  ANY,
  BOOL,
  describeType,
  isAny,
  itemsOf,
  listType,
  mapType,
  mayBe,
  type Report,
  STRING,
  select,
  type Type,
  typeOfValue,
  unite,
} from './type.js';

export interface View {
  /** Undefined for an unknown name, which planning reports. */
  typeOf: (name: string) => Type | undefined;
  /** Paths known to exist, such as `input.note` after `has(input.note)`. */
  present: ReadonlySet<string>;
  /** Whether a file may be used as a text: the path of its copy. */
  takesFiles?: true;
}

/** Of names with these types. */
export function viewOf(names: Record<string, Type>): View {
  return { typeOf: (name) => (Object.hasOwn(names, name) ? names[name] : undefined), present: new Set() };
}

export function inferType(source: string, view: View, report: Report): Type {
  const tree = parseExpression(source);
  return tree ? new Inference(report).infer(tree, view) : ANY;
}

const TYPES: ReadonlySet<string> = new Set([
  ...['bool', 'bytes', 'double', 'int', 'list', 'map', 'null_type', 'string', 'type', 'uint'],
]);

class Inference {
  constructor(private readonly report: Report) {}

  infer(node: Node, view: View): Type {
    const { op, args } = node;
    switch (op) {
      case 'value':
        return literal(args);
      case 'id':
        return view.typeOf(args as string) ?? (TYPES.has(args as string) ? [{ kind: 'type' }] : ANY);
      case '.':
        return this.member(args as [Node, string], view, isChecked(node, view));
      case '.?':
        return [{ kind: 'optional', of: flat(this.member(args as [Node, string], view, true)) }];
      case '[]':
        return this.index(args as [Node, Node], view, isChecked(node, view));
      case '[?]':
        return [{ kind: 'optional', of: flat(this.index(args as [Node, Node], view, true)) }];
      case 'list':
        return listType(unite(...(args as Node[]).map((item) => this.infer(item, view))));
      case 'map':
        return this.map(args as [Node, Node][], view);
      case 'call':
        return this.call(node, args as [string, Node[]], view);
      case 'rcall':
        return this.method(node, args as [string, Node, Node[]], view);
      case '?:':
        return this.ternary(args as [Node, Node, Node], view);
      case '&&':
      case '||':
        return this.logical(op, args as [Node, Node], view);
      case '!_':
      case '-_':
        return this.operation(node, { is: 'operator', name: op }, [this.infer(args as Node, view)]);
      case '==':
      case '!=':
        return this.equality(args as [Node, Node], view);
      case 'in':
        return this.membership(node, args as [Node, Node], view);
      default: {
        const operands = (args as Node[]).map((operand) => this.infer(operand, view));
        return this.operation(node, { is: 'operator', name: op }, operands);
      }
    }
  }

  private member([target, name]: [Node, string], view: View, isChecked: boolean): Type {
    return select(this.infer(target, view), { name, from: write(target), isChecked }, this.report);
  }

  private index([target, key]: [Node, Node], view: View, isChecked: boolean): Type {
    const [type, keyType] = [this.infer(target, view), this.infer(key, view)];
    if (isAny(type) || type.some(({ kind }) => kind === 'optional')) return ANY;
    const name = textOf(key);
    if (name !== undefined && type.some(({ kind }) => kind === 'map')) {
      return select(type, { name, from: write(target), isChecked }, this.report);
    }
    const lists = type.flatMap((one) => (one.kind === 'list' ? [one.item()] : []));
    const isMap = type.some(({ kind }) => kind === 'map');
    if (isMap) return ANY;
    if (lists.length > 0 && mayBe(keyType, 'int', 'double', 'uint')) return unite(...lists);
    if (!isChecked) {
      const message = `\`${write(target)}\` is ${describeType(type)}, and has no \`[${write(key)}]\``;
      this.report({ code: 'lint.type_mismatch', message });
    }
    return ANY;
  }

  private map(entries: [Node, Node][], view: View): Type {
    const types = entries.map(([key, value]) => [textOf(key), this.infer(value, view)] as const);
    const isFixed = types.every(([key]) => key !== undefined);
    const fields = types.map(([key = '', type]) => [key, type] as const);
    return mapType(Object.fromEntries(fields), isFixed ? 'none' : () => ANY);
  }

  private call(node: Node, [name, args]: [string, Node[]], view: View): Type {
    const [only] = args;
    if (name === 'has') {
      if (only?.op === '.' || only?.op === '.?') this.member(only.args as [Node, string], view, true);
      return BOOL;
    }
    const operands = args.map((operand) => this.infer(operand, view));
    return this.operation(node, { is: 'function', name }, operands);
  }

  private method(node: Node, [name, target, args]: [string, Node, Node[]], view: View): Type {
    if (isLoop(name, args)) return this.macro(name, target, args as [Node, ...Node[]], view);
    if (target.op === 'id' && target.args === 'optional') {
      const [of = ANY] = args.map((operand) => this.infer(operand, view));
      return [{ kind: 'optional', of }];
    }
    if (target.op === 'id' && target.args === 'cel') return ANY;
    const receiver = this.infer(target, view);
    const operands = args.map((operand) => this.infer(operand, view));
    if (name === 'join') this.joined(node, receiver);
    const [first = ANY] = operands;
    const inner = receiver.flatMap((one) => (one.kind === 'optional' ? [one.of] : []));
    if (inner.length > 0 && inner.length === receiver.length) {
      const of = unite(...inner);
      if (name === 'value') return of;
      if (name === 'orValue') return unite(of, first);
      if (name === 'or') return [{ kind: 'optional', of: unite(of, flat(first)) }];
      if (name === 'hasValue') return BOOL;
    }
    return this.operation(node, { is: 'method', name }, [receiver, ...operands]);
  }

  /** `join` checks its items only at run time, so a list of other types is reported here. */
  private joined(node: Node, receiver: Type): void {
    const items = itemsOf(receiver);
    if (mayBe(items, 'string')) return;
    const message = `\`${write(node)}\` joins ${describeType(items)}, and only texts can be joined`;
    const fix = 'Make texts of the items: `list.map(item, string(item)).join(", ")`.';
    this.report({ code: 'lint.type_mismatch', message, fix });
  }

  private macro(name: string, target: Node, [variable, ...bodies]: [Node, ...Node[]], view: View): Type {
    const range = this.infer(target, view);
    if (!mayBe(range, 'list', 'map')) {
      const message = `\`${write(target)}\` is ${describeType(range)}, and \`${name}\` goes over lists and maps`;
      this.report({ code: 'lint.type_mismatch', message });
    }
    const item = isAny(range)
      ? ANY
      : unite(...range.flatMap((one) => (one.kind === 'list' ? [one.item()] : one.kind === 'map' ? [STRING] : [])));
    const bound = variable.args as string;
    const present = new Set([...view.present].filter((path) => path !== bound && !path.startsWith(`${bound}.`)));
    const inside = { typeOf: (id: string) => (id === bound ? item : view.typeOf(id)), present };
    const [first, second] = bodies as [Node, Node | undefined];
    if (name === 'map' && !second) return listType(this.infer(first, inside));
    this.boolean(first, this.infer(first, inside));
    if (name === 'map' && second) {
      return listType(this.infer(second, { ...inside, present: new Set([...present, ...presentAfter(first, true)]) }));
    }
    return name === 'filter' ? listType(item) : BOOL;
  }

  private ternary([condition, whenTrue, whenFalse]: [Node, Node, Node], view: View): Type {
    this.boolean(condition, this.infer(condition, view));
    const [left, right] = [
      this.infer(whenTrue, after(view, condition, true)),
      this.infer(whenFalse, after(view, condition, false)),
    ];
    return unite(left, right);
  }

  /** An error on one side is ignored if the other side decides, so each side may rely on the other. */
  private logical(op: string, [left, right]: [Node, Node], view: View): Type {
    const outcome = op === '&&';
    this.boolean(left, this.infer(left, after(view, right, outcome)));
    this.boolean(right, this.infer(right, after(view, left, outcome)));
    return BOOL;
  }

  private boolean(node: Node, type: Type): void {
    if (mayBe(type, 'bool')) return;
    const message = `\`${write(node)}\` is ${describeType(type)}, where true or false belongs`;
    this.report({ code: 'lint.type_mismatch', message });
  }

  private equality([left, right]: [Node, Node], view: View): Type {
    const types = [this.infer(left, view), this.infer(right, view)] as const;
    const diagnostic = neverEqual(...types, [write(left), write(right)]);
    if (diagnostic) this.report(diagnostic);
    return BOOL;
  }

  private membership(node: Node, [item, range]: [Node, Node], view: View): Type {
    const [, type] = [this.infer(item, view), this.infer(range, view)];
    const name = textOf(item);
    const isMap = type.some(({ kind }) => kind === 'map');
    if (name !== undefined && isMap) select(type, { name, from: write(range), isChecked: true }, this.report);
    if (!mayBe(type, 'list', 'map')) this.cannot(node, [type]);
    return BOOL;
  }

  private operation(node: Node, operation: Operation, operands: Type[]): Type {
    const result = resultOf(operation, operands);
    if (!result) this.cannot(node, operands);
    return result ?? ANY;
  }

  private cannot(node: Node, operands: Type[]): void {
    const given = operands.map(describeType).join(' and ');
    this.report({ code: 'lint.type_mismatch', message: `\`${write(node)}\` cannot work on ${given}` });
  }
}

function after(view: View, condition: Node, outcome: boolean): View {
  const more = presentAfter(condition, outcome);
  return more.size === 0 ? view : { ...view, present: new Set([...view.present, ...more]) };
}

function isChecked(node: Node, { present }: View): boolean {
  const path = present.size === 0 ? undefined : pathOf(node);
  return path !== undefined && present.has(path);
}

function flat(type: Type): Type {
  return unite(...type.map((one): Type => (one.kind === 'optional' ? one.of : [one])));
}

function literal(value: unknown): Type {
  if (typeof value === 'bigint') return [{ kind: 'int' }];
  if (typeof value === 'number') return [{ kind: 'double' }];
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return typeOfValue(value);
  return value instanceof Uint8Array ? [{ kind: 'bytes' }] : [{ kind: 'uint' }];
}

function write(node: Node): string {
  return shorten(writeExpression(node), 100);
}

/** Maximum number of combinations of operand types; above it, the result is unknown. */
const MAX_WAYS = 200;

const KINDS: { operator: typeof OPERATORS; function: typeof FUNCTIONS; method: typeof METHODS } = {
  operator: OPERATORS,
  function: FUNCTIONS,
  method: METHODS,
};

/** An operator, a function or a method; the receiver of a method is its first operand. */
interface Operation {
  is: keyof typeof KINDS;
  name: string;
}

/** Undefined if all operand types fail. Uses the evaluator's table, so that lint cannot differ from it. */
function resultOf({ is, name }: Operation, operands: Type[]): Type | undefined {
  const callable = KINDS[is].get(name);
  // Planning reports a function that does not exist.
  if (!callable) return ANY;
  const ways = operands.reduce((product, { length }) => product * length, 1);
  if (ways > MAX_WAYS) return ANY;
  const results = combinations(operands).flatMap((way) => resultsFor(callable, way));
  return results.length === 0 ? undefined : unite(...results);
}

function resultsFor(callable: Callable, way: Alternative[]): Type[] {
  const kinds: Wanted[] = way.map(({ kind }) => kind);
  return overloadsFor(callable, kinds).map(({ result }) => typeOf(result, way));
}

function typeOf(result: Result, way: Alternative[]): Type {
  switch (result) {
    case 'any':
      return ANY;
    case 'list<string>':
      return listType([{ kind: 'string' }]);
    case 'list':
      // Adding lists gives one with the items of both.
      return listType(unite(...way.map((one) => (one.kind === 'list' ? one.item() : ANY))));
    case 'map':
      return mapType({}, () => ANY);
    case 'optional':
      return [{ kind: 'optional', of: ANY }];
    default:
      return [{ kind: result }];
  }
}

function combinations(operands: Type[]): Alternative[][] {
  return operands.reduce<Alternative[][]>(
    (ways, type) => ways.flatMap((way) => type.map((one) => [...way, one])),
    [[]],
  );
}
