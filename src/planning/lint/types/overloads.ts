import { dialect } from '../../../rules/expressions/evaluate.js';
import { type Alternative, ANY, listType, mayBe, type Type, unite } from './type.js';

/** How the library writes each kind. */
const SPELLED: Record<Exclude<Alternative['kind'], 'any'>, string> = {
  null: 'null',
  bool: 'bool',
  int: 'int',
  double: 'double',
  string: 'string',
  uint: 'uint',
  bytes: 'bytes',
  type: 'type',
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  list: 'list<dyn>',
  map: 'map<string, dyn>',
  optional: 'optional<dyn>',
};

/** Operands that may be many things at once are not tried in all their ways. */
const MOST_WAYS = 200;

const answers = new Map<string, Type | undefined>();

let asked: ReturnType<typeof dialect> | undefined;

/** The library, with one variable for each kind. */
function library(): ReturnType<typeof dialect> {
  asked ??= Object.entries(SPELLED).reduce(
    (environment, [kind, spelled]) => environment.registerVariable(`of_${kind}`, spelled),
    dialect(),
  );
  return asked;
}

/**
 * What an operator or function gives for operands of these types; undefined where it throws for all of them.
 *
 * The library itself answers, so that lint and evaluation cannot differ.
 *
 * @param form the expression, made of the names of its operands.
 */
export function resultOf(form: (names: string[]) => string, operands: Type[]): Type | undefined {
  const ways = operands.reduce((product, { length }) => product * length, 1);
  if (ways > MOST_WAYS) return ANY;
  const results = combinations(operands).flatMap((way) => ask(form, way) ?? []);
  return results.length === 0 ? undefined : unite(results);
}

function ask(form: (names: string[]) => string, way: Alternative[]): Type | undefined {
  const expression = form(way.map(({ kind }) => (kind === 'any' ? 'dyn(1)' : `of_${kind}`)));
  const [only] = way;
  if (!answers.has(expression)) {
    const { valid, type } = library().check(expression);
    answers.set(expression, valid && type !== undefined ? readType(type) : undefined);
  }
  const answer = answers.get(expression);
  // A list that is added to another one holds what it held.
  const isSameList = answer && way.length === 2 && way.every(({ kind }) => kind === 'list') && mayBe(answer, 'list');
  if (!isSameList) return answer;
  return listType(unite(...[only, way[1]].map((one) => (one?.kind === 'list' ? one.item() : ANY))));
}

function readType(spelled: string): Type {
  const found = Object.entries(SPELLED).find(([, name]) => name === spelled)?.[0];
  if (found !== undefined && found !== 'list' && found !== 'map' && found !== 'optional') {
    return [{ kind: found } as Alternative];
  }
  if (spelled === 'list<string>') return listType([{ kind: 'string' }]);
  if (spelled.startsWith('list')) return listType(ANY);
  if (spelled.startsWith('map')) return [{ kind: 'map', fields: new Map(), others: () => ANY }];
  if (spelled.startsWith('optional')) return [{ kind: 'optional', of: ANY }];
  return ANY;
}

function combinations(operands: Type[]): Alternative[][] {
  return operands.reduce<Alternative[][]>(
    (ways, type) => ways.flatMap((way) => type.map((one) => [...way, one])),
    [[]],
  );
}
