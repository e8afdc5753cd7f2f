import { CALLERS } from '../../contracts/callers.js';
import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { PlanOutputFile } from '../../contracts/files.js';
import type { Finding } from '../../contracts/findings.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { LintCode } from '../../contracts/lint-codes.js';
import { type Ability, loadedAbilities, loadedAbility, loadedComposite } from '../../definitions/find-ability.js';
import type { HookDefinition, WrittenHandler } from '../../definitions/formats/hooks.js';
import { isNarrowed, type TaskPhase } from '../../definitions/hook-bindings.js';
import { requiredIn } from '../../definitions/json-schema-keywords.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { partsOfHandler } from '../../definitions/written-handler.js';
import { findingOf } from '../../planning/finding-of.js';
import { compositeHookLevels, type HookLevels, hookLevels } from '../../planning/hooks/hook-levels.js';
import { selectHooks } from '../../planning/hooks/resolve-hooks.js';
import { resolveOutputFiles } from '../../planning/resolve/resolve-output.js';
import { type Call, callsOf, definedEffects } from '../../planning/steps/called-abilities.js';
import { unlessRefused } from '../../text/attempt.js';
import { environmentsOf } from '../checks/abilities.js';

type LoadedAbility = Loaded<Ability>;

const CODE_OF: Record<SchemaBreak['kind'], LintCode> = {
  required: 'lint.break_input_required',
  removed: 'lint.break_output_removed',
  narrowed: 'lint.break_input_narrowed',
  widened: 'lint.break_output_widened',
};

/** Finds contracts that broke since an earlier revision while their `version` stayed the same. */
export function* compareContracts(before: Registry, after: Registry): Generator<Finding> {
  for (const [id, old] of loadedAbilities(before)) {
    const now = loadedAbility(after, id);
    if (!now) {
      // A broken file is a finding of its own.
      if (after.broken.has(`ability:${id}`)) continue;
      yield findingOf('lint.break_removed', `The ability ${id} was removed`, { file: old.file });
    } else if (String(old.value.version) === String(now.value.version)) yield* compare(before, after, id, old, now);
  }
}

function* compare(
  before: Registry,
  after: Registry,
  id: string,
  old: LoadedAbility,
  now: LoadedAbility,
): Generator<Finding> {
  yield* compareSchema('input', id, old, now);
  yield* compareSchema('output', id, old, now);
  yield* compareFiles(id, old, now);
  const [was, is] = [effectOf(before, id), effectOf(after, id)];
  if (EFFECTS.indexOf(is) > EFFECTS.indexOf(was)) {
    const message = `The effect of ${id} was ${was} and is ${is}`;
    yield findingOf('lint.break_effect', message, now.locate(placeOfEffect(after, now, is)));
  }
  const within = environmentsOf(after, now.value.scope);
  const lost = environmentsOf(before, old.value.scope).filter((name) => !within.includes(name));
  if (lost.length > 0) {
    const message = `${id} is no longer available in ${lost.join(', ')}`;
    yield findingOf('lint.break_scope', message, now.locate(['scope', 'environments']));
  }
  for (const environment of within.filter((name) => !lost.includes(name))) {
    const names = new Set(guardsOf(after, id, environment).map(({ name }) => name));
    for (const { name, phase, hook } of guardsOf(before, id, environment)) {
      if (names.has(name)) yield* compareGuard(before, after, phase, hook);
      else {
        const bound = isBoundNow(after, phase, hook) ? ': it has no `match`, and a binding narrows it' : '';
        const message = `The guard ${name} no longer runs before ${id} in ${environment}${bound}`;
        yield findingOf('lint.break_guard', message, now.locate(['hooks'], 'key'));
      }
    }
  }
}

/** Whether the guard no longer covers all abilities because a binding narrows it. Source: C-44. */
function isBoundNow(after: Registry, phase: TaskPhase, id: string): boolean {
  const hook = after.hooks.get(phase)?.find(({ value }) => value.id === id);
  return hook !== undefined && isNarrowed(after, phase, hook.value);
}

/** The operation's own `effects`, or the call that brings the effect into a workflow or agent. */
function placeOfEffect(registry: Registry, { value }: LoadedAbility, effect: Effect): PropertyKey[] {
  if ('effects' in value) return ['effects'];
  return [...callsOf(value)].find(({ id }) => effectOf(registry, id) === effect)?.path ?? ['steps'];
}

function* compareSchema(direction: Direction, id: string, old: LoadedAbility, now: LoadedAbility): Generator<Finding> {
  const key = `${direction}_schema` as const;
  const [before, after] = [old.value[key] ?? {}, now.value[key] ?? {}];
  for (const { kind, path, name, what } of compareSchemas(before, after, direction)) {
    const code = kind === 'removed' && direction === 'input' ? 'lint.break_input_narrowed' : CODE_OF[kind];
    const message = `In the ${direction} of ${id}, ${name === '' ? 'the value' : `\`${name}\``} ${what}`;
    yield findingOf(code, message, now.locate([key, ...path]));
  }
}

/** Finds removed output files, and files that became lists or the other way round. */
function* compareFiles(id: string, old: LoadedAbility, now: LoadedAbility): Generator<Finding> {
  const [before, after] = [filesOf(old), filesOf(now)];
  for (const [name, { many }] of Object.entries(before)) {
    const file = after[name];
    if (file && file.many === many) continue;
    const what = file ? `was ${many ? 'a list of files' : 'one file'}, and is not any more` : 'was removed';
    const location = now.locate(['output_files'], 'key');
    yield findingOf('lint.break_output_removed', `The file \`${name}\` of ${id} ${what}`, location);
  }
}

function filesOf({ value }: LoadedAbility): Record<string, PlanOutputFile> {
  return 'output_files' in value && value.output_files ? resolveOutputFiles(value.output_files) : {};
}

interface Guard {
  name: string;
  phase: TaskPhase;
  hook: string;
}

/** Empty if they cannot be determined. */
function guardsOf(registry: Registry, id: string, environment: string): Guard[] {
  const guards = unlessRefused(() => {
    const levels = surroundingsOf(registry, id, environment);
    return (['PreAbilityCreate', 'PreAbilityCall'] as const).flatMap((phase) =>
      selectHooks(phase, registry, levels, () => {}).map(({ value }) => {
        return { name: `${value.id} (${phase})`, phase, hook: value.id };
      }),
    );
  });
  return guards ?? [];
}

function surroundingsOf(registry: Registry, id: string, environment: string): HookLevels {
  const operation = registry.operations.get(id);
  if (operation) return hookLevels(registry, operation, environment);
  const of = { effects: effectOf(registry, id), tags: [...tagsOf(registry, id, environment)] };
  return compositeHookLevels(registry, id, environment, of);
}

/** The tags of all operations that a workflow or agent may call, directly or not. */
function tagsOf(registry: Registry, id: string, environment: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(id)) return new Set();
  seen.add(id);
  const operation = registry.operations.get(id);
  if (operation) return new Set(hookLevels(registry, operation, environment).subject.tags);
  return new Set(callsIn(registry, id).flatMap((call) => [...tagsOf(registry, call.id, environment, seen)]));
}

/** Of a workflow or agent: the gravest effect of all its calls, direct or not, that are known. */
function effectOf(registry: Registry, id: string): Effect {
  return definedEffects(registry, id, 'read');
}

function callsIn(registry: Registry, id: string): Call[] {
  const composite = loadedComposite(registry, id);
  return composite ? [...callsOf(composite.value)] : [];
}

/** Finds what a guard no longer stops, by its definition; changed conditions or scripts cannot be compared. */
function* compareGuard(before: Registry, after: Registry, phase: TaskPhase, id: string): Generator<Finding> {
  const [old, now] = [before, after].map((registry) => registry.hooks.get(phase)?.find(({ value }) => value.id === id));
  if (!old || !now) return;
  const name = `${id} (${phase})`;
  const fires = callersOf(now.value);
  const lost = callersOf(old.value).filter((caller) => !fires.includes(caller));
  if (lost.length > 0) {
    const message = `The guard ${name} no longer fires for ${lost.join(', ')}`;
    yield findingOf('lint.break_guard', message, now.locate(['match', 'callers']));
  }
  const what = weakened(old.value.handler, now.value.handler);
  if (what) yield findingOf('lint.break_guard', `The guard ${name} ${what}`, now.locate(['handler']));
  if (old.value.abstain === 'deny' && now.value.abstain !== 'deny') {
    const message = `The guard ${name} no longer denies where it is silent`;
    yield findingOf('lint.break_guard', message, now.locate(['abstain']));
  }
}

function callersOf({ match }: HookDefinition): readonly string[] {
  return match?.callers ?? CALLERS;
}

/** In what way the new handler is weaker; undefined if none is visible. */
function weakened(old: WrittenHandler, now: WrittenHandler): string | undefined {
  if (partsOfHandler(old).canStop && !partsOfHandler(now).canStop)
    return 'can no longer stop a call: it neither denies nor asks for approval';
  if (!('expression' in old) || !('expression' in now)) return undefined;
  const [was, is] = [old.expression, now.expression];
  if (was.deny_if !== undefined && is.deny_if === undefined) return 'no longer denies: it has no `deny_if`';
  if (was.deny_if !== undefined && was.on_limit === undefined && is.on_limit !== undefined)
    return 'no longer denies: at its limit it asks people';
  const isMerged = is.deny_if !== undefined && is.deny_if !== was.deny_if;
  const isLost = was.confirm_if !== undefined && is.confirm_if === undefined;
  return isLost && !isMerged ? 'no longer asks for approval: it has no `confirm_if`' : undefined;
}

export interface SchemaBreak {
  kind: 'required' | 'removed' | 'narrowed' | 'widened';
  /** The place in the newer schema or, for removed parts, in the older one. */
  path: PropertyKey[];
  /** Path of the property: `user.email`; empty for the value itself. */
  name: string;
  what: string;
}

function* compareSchemas(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
  path: PropertyKey[] = [],
  name = '',
): Generator<SchemaBreak> {
  yield* compareTypes(before, after, direction, path, name);
  for (const { key, what } of compareLimits(before, after, direction)) {
    yield { kind: direction === 'input' ? 'narrowed' : 'widened', path: [...path, key], name, what };
  }
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const [neededBefore, neededNow] = [requiredIn(before), requiredIn(after)];
  for (const key of direction === 'input' ? neededNow : []) {
    const isNew = !neededBefore.includes(key) && now.get(key)?.default === undefined;
    if (isNew) yield { kind: 'required', path: [...path, 'required'], name: join(name, key), what: 'is required now' };
  }
  for (const [key, schema] of old) {
    const inner = now.get(key);
    const at = [...path, 'properties'];
    if (inner) yield* compareSchemas(schema, inner, direction, [...at, key], join(name, key));
    else if (direction === 'output' || after.additionalProperties === false) {
      yield { kind: 'removed', path: at, name: join(name, key), what: 'was removed' };
    }
  }
  for (const key of direction === 'output' ? neededBefore : []) {
    if (neededNow.includes(key) || (old.has(key) && !now.has(key))) continue;
    yield { kind: 'removed', path: [...path, 'required'], name: join(name, key), what: 'may be missing now' };
  }
  if (isJsonObject(before.items) && isJsonObject(after.items)) {
    yield* compareSchemas(before.items, after.items, direction, [...path, 'items'], `${name}[]`);
  }
}

/** An input may accept more and an output may return less; the opposite breaks users. */
function* compareTypes(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
  path: PropertyKey[],
  name: string,
): Generator<SchemaBreak> {
  const [less, more] = direction === 'input' ? [after, before] : [before, after];
  const kind = direction === 'input' ? 'narrowed' : 'widened';
  const types = typesOf(less);
  const lostTypes = types && without(typesOf(more), (type) => takes(types, type));
  if (lostTypes) yield { kind, path: [...path, 'type'], name, what: wordingOf(direction, lostTypes, types) };
  const values = valuesOf(less)?.map((value) => JSON.stringify(value));
  const lostValues =
    values &&
    without(
      valuesOf(more)?.map((value) => JSON.stringify(value)),
      (value) => values.includes(value),
    );
  const key = after.const === undefined ? 'enum' : 'const';
  if (lostValues) yield { kind, path: [...path, key], name, what: wordingOf(direction, lostValues, values) };
}

/** Values that are no longer allowed: `any` if there was no limit; undefined if all are still allowed. */
function without(items: string[] | undefined, isAllowed: (item: string) => boolean): string[] | 'any' | undefined {
  if (items === undefined) return 'any';
  const lost = items.filter((item) => !isAllowed(item));
  return lost.length > 0 ? lost : undefined;
}

function takes(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function wordingOf(direction: Direction, lost: string[] | 'any', allowed: readonly string[]): string {
  if (lost === 'any') {
    return direction === 'input'
      ? `takes only ${allowed.join(', ')} now`
      : `was ${allowed.join(', ')} and may be anything now`;
  }
  return direction === 'input' ? `no longer takes ${lost.join(', ')}` : `may be ${lost.join(', ')} now`;
}

function typesOf({ type }: JsonObject): string[] | undefined {
  if (typeof type === 'string') return [type];
  return Array.isArray(type) ? type.filter((item): item is string => typeof item === 'string') : undefined;
}

function valuesOf(schema: JsonObject): Json[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum;
  return schema.const === undefined ? undefined : [schema.const];
}

/** A map, since a property may be called `toString`. */
function propertiesOf({ properties }: JsonObject): ReadonlyMap<string, JsonObject> {
  if (!isJsonObject(properties)) return new Map();
  return new Map(Object.entries(properties).map(([key, schema]) => [key, isJsonObject(schema) ? schema : {}]));
}

function join(name: string, key: string): string {
  return name === '' ? key : `${name}.${key}`;
}

/** Callers send what an input accepts, and read what an output returns. */
export type Direction = 'input' | 'output';

/** `least`: a greater value is stricter; `most`: a smaller one is. */
const LIMITS: Readonly<Record<string, 'least' | 'most'>> = {
  minimum: 'least',
  exclusiveMinimum: 'least',
  minLength: 'least',
  minItems: 'least',
  minProperties: 'least',
  maximum: 'most',
  exclusiveMaximum: 'most',
  maxLength: 'most',
  maxItems: 'most',
  maxProperties: 'most',
};

function* compareLimits(
  before: JsonObject,
  after: JsonObject,
  direction: Direction,
): Generator<{ key: string; what: string }> {
  const isInput = direction === 'input';
  const [less, more] = isInput ? [after, before] : [before, after];
  for (const [key, kind] of Object.entries(LIMITS)) {
    const [bound, other] = [less[key], more[key]];
    if (typeof bound !== 'number' || isWithin(other, bound, kind)) continue;
    yield { key, what: `has the \`${key}\` ${said(after[key])} now, where it had ${said(before[key])}` };
  }
  if (isInput && after.additionalProperties === false && before.additionalProperties !== false) {
    yield { key: 'additionalProperties', what: 'takes no other fields now than those it names' };
  }
}

function isWithin(other: Json | undefined, bound: number, kind: 'least' | 'most'): boolean {
  return typeof other === 'number' && (kind === 'least' ? other >= bound : other <= bound);
}

function said(limit: Json | undefined): string {
  return limit === undefined ? 'none' : JSON.stringify(limit);
}
