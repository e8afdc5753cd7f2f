import { noSuchFunction } from '../expression-errors.js';
import { type Node, walk } from '../syntax/node.js';

/** Functions that the rewritten text calls. User expressions cannot call them: their names are refused. */
export const INSTRUMENTS = {
  iterate: 'iterate_',
  read: 'read_',
  compare: 'compare_',
  matches: 're2_matches',
} as const;
const INSTRUMENT_NAMES: ReadonlySet<string> = new Set(Object.values(INSTRUMENTS));

const MACROS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'filter', 'map']);
/** Methods whose cost grows with their receiver. */
const READING_METHODS: ReadonlySet<string> = new Set([
  'base64',
  'contains',
  'endsWith',
  'hex',
  'lowerAscii',
  'size',
  'split',
  'startsWith',
  'string',
  'upperAscii',
]);

/** Cost of parsing relative to reading. */
const PARSING = 16n;

/** Nodes of a macro's body that count as one visit: evaluating them takes about as long as reading a value. */
const NODES_A_VISIT = 3;

/**
 * Adds counters and RE2, since the library limits neither visits nor matching time. A macro pays for all turns
 * first, because `all` and `exists` go on after an error. Source: docs/workflow-language.md#expressions.
 */
export function instrument(node: Node): Node {
  const { op, args } = node;
  switch (op) {
    case 'value':
      return typeof args === 'number' ? exactDouble(args) : node;
    case 'id':
      return node;
    case '.':
    case '.?': {
      const [target, name] = args as [Node, string];
      return { op, args: [instrument(target), name] };
    }
    case '!_':
    case '-_':
      return { op, args: instrument(args as Node) };
    case 'call':
      return instrumentCall(args as [string, Node[]]);
    case 'rcall':
      return instrumentMethod(args as [string, Node, Node[]]);
    case 'map':
      return { op, args: (args as [Node, Node][]).map(([key, value]) => [instrument(key), instrument(value)]) };
    case '+':
      return { op, args: (args as Node[]).map((operand) => counted(INSTRUMENTS.read, operand)) };
    case '==':
    case '!=':
    case 'in':
      return { op, args: (args as Node[]).map((operand) => counted(INSTRUMENTS.compare, operand)) };
    default:
      return { op, args: (args as Node[]).map(instrument) };
  }
}

function instrumentCall([name, args]: [string, Node[]]): Node {
  refuseInstrument(name);
  if (name === 'has') return { op: 'call', args: [name, args] };
  if (name === 'matches' && args.length === 2) return re2(args[0] as Node, args[1] as Node);
  // Functions such as `size` and `string` read their operands.
  return { op: 'call', args: [name, args.map((operand) => counted(INSTRUMENTS.read, operand))] };
}

function instrumentMethod([name, target, args]: [string, Node, Node[]]): Node {
  refuseInstrument(name);
  if (target.op === 'id' && target.args === 'cel') throw noSuchFunction('cel.bind');
  if (name === 'matches' && args.length === 1) return re2(target, args[0] as Node);
  if (MACROS.has(name) && args.length >= 2) {
    const [variable, ...bodies] = args as [Node, ...Node[]];
    const receiver = call(INSTRUMENTS.iterate, [instrument(target), { op: 'value', args: visitsPerTurn(bodies) }]);
    return { op: 'rcall', args: [name, receiver, [variable, ...bodies.map(instrument)]] };
  }
  // `join` reads the list and its texts.
  if (name === 'join') return { op: 'rcall', args: [name, counted(INSTRUMENTS.compare, target), args.map(instrument)] };
  if (name === 'json') {
    const receiver = call(INSTRUMENTS.iterate, [instrument(target), { op: 'value', args: PARSING }]);
    return { op: 'rcall', args: [name, receiver, args.map(instrument)] };
  }
  if (!READING_METHODS.has(name)) return { op: 'rcall', args: [name, instrument(target), args.map(instrument)] };
  const [receiver, ...operands] = [target, ...args].map((operand) => counted(INSTRUMENTS.read, operand));
  return { op: 'rcall', args: [name, receiver, operands] };
}

function visitsPerTurn(bodies: Node[]): bigint {
  let nodes = 0;
  for (const body of bodies) walk(body, () => (nodes += 1));
  return BigInt(1 + Math.floor(nodes / NODES_A_VISIT));
}

/** Literals are not counted: they cost almost nothing, and the counter would hide their type. */
function counted(instrumentName: string, operand: Node): Node {
  return operand.op === 'value' ? instrument(operand) : call(instrumentName, [instrument(operand)]);
}

function re2(text: Node, pattern: Node): Node {
  return call(INSTRUMENTS.matches, [instrument(text), instrument(pattern)]);
}

function call(name: string, args: Node[]): Node {
  return { op: 'call', args: [name, args] };
}

/** Works around the library's serializer, which rounds doubles to nine decimals. */
function exactDouble(value: number): Node {
  return call('double', [{ op: 'value', args: String(value) }]);
}

function refuseInstrument(name: string): void {
  if (INSTRUMENT_NAMES.has(name)) throw noSuchFunction(name);
}

/** Removes the counters, so that an error shows the expression as the author wrote it. */
export function withoutInstruments(node: Node): Node {
  const { op, args } = node;
  if (op === 'value' || op === 'id') return node;
  if (op === '.' || op === '.?') {
    const [target, name] = args as [Node, string];
    return { op, args: [withoutInstruments(target), name] };
  }
  if (op === 'call') {
    const [name, operands] = args as [string, Node[]];
    if (INSTRUMENT_NAMES.has(name) && name !== INSTRUMENTS.matches) return withoutInstruments(operands[0] as Node);
    return { op, args: [name === INSTRUMENTS.matches ? 'matches' : name, operands.map(withoutInstruments)] };
  }
  if (op === 'rcall') {
    const [name, target, operands] = args as [string, Node, Node[]];
    return { op, args: [name, withoutInstruments(target), operands.map(withoutInstruments)] };
  }
  if (op === 'map') {
    const entries = args as [Node, Node][];
    return { op, args: entries.map(([key, value]) => [withoutInstruments(key), withoutInstruments(value)]) };
  }
  if (op === '!_' || op === '-_') return { op, args: withoutInstruments(args as Node) };
  return { op, args: (args as Node[]).map(withoutInstruments) };
}
