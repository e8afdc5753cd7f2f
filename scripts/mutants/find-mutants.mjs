// Finds the places of a source where one small change makes another program, and builds a switch into each.
import { parseAst } from 'rolldown/parseAst';

const SWAPPED = {
  '&&': '||',
  '||': '&&',
  '===': '!==',
  '!==': '===',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '+': '-',
  '-': '+',
};
const SWAPPED_METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
]);
/** The nodes of TypeScript that hold code; all its others are types. */
const TYPED_CODE = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression', 'TSTypeAssertion']);
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

/**
 * The mutants of a source, in its order: `{ line, change, start, end, mutated }`, where `mutated` replaces the text from
 * `start` to `end`.
 *
 * Left out are types, what is written to a logger, and what runs once when its module is loaded: it cannot be switched.
 */
export function findMutants(source) {
  const found = [];
  const add = (start, end, mutated, change, extra = {}) => {
    const line = source.slice(0, start).split('\n').length;
    found.push({ line, change, start, end, mutated, ...extra });
  };
  visit(parseAst(source, { lang: 'ts' }), false);
  return found;

  function visit(node, inFunction) {
    if (node.type.startsWith('TS') && !TYPED_CODE.has(node.type)) return;
    if (isLogged(node)) return;
    if (inFunction) addMutants(node);
    const inside = inFunction || FUNCTIONS.has(node.type);
    for (const child of Object.values(node).flat()) {
      if (typeof child?.type === 'string') visit(child, inside);
    }
  }

  function addMutants(node) {
    const text = source.slice(node.start, node.end);
    if (node.type === 'IfStatement' || node.type === 'ConditionalExpression') addNegation(node.test);
    if (node.type === 'LogicalExpression' || node.type === 'BinaryExpression') addOperator(node);
    if (node.type === 'Literal' && typeof node.value === 'boolean') {
      add(node.start, node.end, String(!node.value), `${text} -> ${!node.value}`);
    }
    if (node.type === 'CallExpression') addMethod(node.callee);
    if (node.type === 'ExpressionStatement' && isCall(node.expression)) {
      add(node.expression.start, node.expression.end, 'undefined', 'call removed');
    }
  }

  function addNegation(test) {
    // A comparison has a mutant of its own that says the same.
    if (['===', '!=='].includes(test.operator)) return;
    add(test.start, test.end, `!(${source.slice(test.start, test.end)})`, 'condition negated');
  }

  function addOperator({ left, operator, right, start, end }) {
    const at = source.indexOf(operator, left.end);
    if (operator === '??') {
      add(start, end, source.slice(start, at), '?? dropped');
      return;
    }
    const swapped = SWAPPED[operator];
    if (swapped === undefined || (operator === '+' && [left, right].some(isText))) return;
    const mutated = source.slice(start, at) + swapped + source.slice(at + operator.length, end);
    add(start, end, mutated, `${operator} -> ${swapped}`);
  }

  function addMethod({ type, computed, property }) {
    if (type !== 'MemberExpression' || computed) return;
    const swapped = SWAPPED_METHODS.get(property.name);
    if (swapped === undefined || source[property.start - 1] !== '.') return;
    const change = `${property.name} -> ${swapped}`;
    // `a?.some` becomes `a?.[...]`, and `a.some` becomes `a[...]`.
    const start = source[property.start - 2] === '?' ? property.start : property.start - 1;
    add(start, property.end, `'${swapped}'`, change, { name: property.name });
  }
}

function isCall(node) {
  if (node.type === 'AwaitExpression') return isCall(node.argument);
  // Without `super(...)` nothing of a class works; and inside another expression it loses its parameter properties.
  if (node.callee?.type === 'Super') return false;
  return node.type === 'CallExpression' || (node.type === 'ChainExpression' && isCall(node.expression));
}

function isText(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');
}

function isLogged({ type, expression, callee }) {
  if (type === 'ExpressionStatement') return isLogged(expression);
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return false;
  const owner = callee.object.name ?? callee.object.property?.name;
  return /^log(ger)?$/.test(owner) && /^(trace|debug|info|warn|error)$/.test(callee.property.name);
}

/**
 * The source with a switch at each of the mutants, which have an `id` here: `globalThis.__mutant(id)` says whether it is on.
 *
 * At most one is on at a time, so that a mutant is written without the switches of those inside it.
 */
export function plantSwitches(source, mutants) {
  const outermostFirst = mutants.toSorted((a, b) => a.start - b.start || b.end - a.end);
  return render(0, source.length, outermostFirst);

  function render(from, to, inside) {
    let text = '';
    let at = from;
    for (let i = 0; i < inside.length; ) {
      const mutant = inside[i];
      const nested = inside.slice(i + 1).filter(({ start }) => start < mutant.end);
      text += source.slice(at, mutant.start) + renderSwitch(mutant, nested);
      at = mutant.end;
      i += 1 + nested.length;
    }
    return text + source.slice(at, to);
  }

  function renderSwitch({ id, start, end, mutated, name }, nested) {
    const isOn = `globalThis.__mutant(${id})`;
    if (name !== undefined) return `[${isOn} ? ${mutated} : '${name}']`;
    return `(${isOn} ? (${mutated}) : (${render(start, end, nested)}))`;
  }
}
