import type { Node } from '../syntax/node.js';
import { Failure, fail, itemAt, kindOf, Maybe, TypeName, valueAt } from './kinds.js';
import { noOverload, type Part, type Place } from './overloads.js';

/** The types `google.protobuf.Timestamp` and `google.protobuf.Duration`. */
function typeNamed(node: Node): TypeName | undefined {
  const [target, name] = node.args as [Node, string];
  if (node.op !== '.' || (name !== 'Timestamp' && name !== 'Duration') || target.op !== '.') return undefined;
  const [root, between] = target.args as [Node, string];
  const isOurs = between === 'protobuf' && root.op === 'id' && root.args === 'google';
  return isOurs ? new TypeName(`google.protobuf.${name}`) : undefined;
}

/** Compiles `a.b`, and `a.?b`, whose result is an optional. */
export function compileMember(node: Node, place: Place): Part {
  const type = typeNamed(node);
  if (type) return { run: () => type, kind: 'type' };
  const [target, name] = node.args as [Node, string];
  const isOptional = node.op === '.?';
  const { run } = place.compile(target, place);
  return {
    run: (evaluation) => {
      const of = run(evaluation);
      if (isOptional && isEmpty(of)) return Maybe.none;
      const value = memberOf(of, name);
      if (isOptional || of instanceof Maybe) return asMaybe(value);
      if (value === undefined) throw new Failure(`no such key: ${name}`, node);
      return value;
    },
    kind: isOptional ? 'optional' : 'any',
  };
}

/** @throws Failure for a value without members. */
function memberOf(of: unknown, name: string): unknown {
  if (of instanceof Maybe) return of.value === undefined ? undefined : memberOf(of.value, name);
  const kind = kindOf(of);
  return kind === 'map'
    ? valueAt(of as object, name)
    : fail(`found no matching overload: a value of type ${kind} has no \`.${name}\``);
}

/** Null or an optional null: the output of a step that did not run. */
function isEmpty(of: unknown): boolean {
  return of === null || (of instanceof Maybe && of.value === null);
}

function asMaybe(value: unknown): Maybe {
  if (value instanceof Maybe) return value;
  return value === undefined ? Maybe.none : new Maybe(value);
}

/** Compiles `a[b]`, and `a[?b]`, whose result is an optional. */
export function compileIndex(node: Node, place: Place): Part {
  const [target, key] = (node.args as [Node, Node]).map((part) => place.compile(part, place).run) as [
    Part['run'],
    Part['run'],
  ];
  const isOptional = node.op === '[?]';
  return {
    run: (evaluation) => {
      const of = target(evaluation);
      const at = key(evaluation);
      if (isOptional && isEmpty(of)) return Maybe.none;
      const value = elementOf(of, at);
      if (isOptional || of instanceof Maybe) return asMaybe(value);
      if (value === undefined) throw new Failure('no such key', node);
      return value;
    },
    kind: isOptional ? 'optional' : 'any',
  };
}

/** @throws Failure for a value without elements, and for an index that is not an integer. */
function elementOf(of: unknown, key: unknown): unknown {
  if (of instanceof Maybe) return of.value === undefined ? undefined : elementOf(of.value, key);
  const kind = kindOf(of);
  if (kind === 'map') return valueAt(of as object, key);
  if (kind !== 'list') throw noOverload('_[_]', [kind, kindOf(key)]);
  return itemAt(of as object, placeOf(key));
}

function placeOf(key: unknown): number {
  const kind = kindOf(key);
  if (kind !== 'int' && kind !== 'uint' && kind !== 'double') throw noOverload('_[_]', ['list', kind]);
  const place = kind === 'uint' ? Number((key as { value: bigint }).value) : Number(key);
  return Number.isInteger(place) ? place : fail(`a list has no place ${place}`);
}

/** Compiles `has(a.b)`, true even if the member is null. */
export function compileHas(member: Node, place: Place): Part {
  const [target, name] = member.args as [Node, string];
  const { run } = place.compile(target, place);
  return { run: (evaluation) => memberOf(run(evaluation), name) !== undefined, kind: 'bool' };
}
