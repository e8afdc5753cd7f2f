import type { Phase } from '../contracts/hooks.js';
import type { Problem } from '../contracts/problem.js';
import { phaseOf } from './phase-of.js';
import type { FileKindName } from './registry.js';
import type { YamlSource } from './yaml-source.js';

/** A part of the language that this version refuses, with what to do instead. */
interface Unsupported {
  key: string;
  instead: string;
}

const TOP_KEYS: Unsupported[] = [
  { key: 'concurrency', instead: 'Run tasks that exclude each other one after the other.' },
];

const API_KEYS: Unsupported[] = [
  { key: 'params', instead: 'Use `path`, `query`, `headers` and `body`.' },
  { key: 'auth', instead: 'Write the header: `Authorization: "Bearer {credential:token}"`.' },
  { key: 'response', instead: 'Answers are read as JSON, or else as `{text}`.' },
];

const HOOK_KEYS: Unsupported[] = [
  { key: 'format', instead: 'Write the hook so that it reads EventContext and prints HookResult.' },
  { key: 'as', instead: 'Write the hook so that it reads EventContext and prints HookResult.' },
  { key: 'must_deny', instead: 'Test the hook with a task that it must deny.' },
];

/** What a definition of each kind may not ask for yet. */
const BY_KIND: Record<FileKindName, (value: unknown, file: string) => Generator<Finding>> = {
  'low-level': lowLevel,
  implementations: (value) => implementation(value),
  config,
  'high-level': highLevel,
  hooks,
};

/**
 * Finds the first thing in a file that this version does not do, so that it is refused and never ignored.
 *
 * Source: design, sections 1 and 5; issue "The main job".
 */
export function findUnsupported(kind: FileKindName, source: YamlSource): Problem | undefined {
  for (const { path, feature, instead } of BY_KIND[kind](source.value, source.file)) {
    return {
      code: 'feature.unsupported',
      message: `${feature} is not supported by this version`,
      location: source.locate(path, 'key'),
      suggestion: instead,
    };
  }
  return undefined;
}

/** One finding: where it is and what it is. */
interface Finding {
  path: PropertyKey[];
  feature: string;
  instead: string;
}

function* keysIn(value: unknown, keys: Unsupported[], path: PropertyKey[]): Generator<Finding> {
  for (const { key, instead } of keys) {
    if (isRecord(value) && Object.hasOwn(value, key)) {
      yield { path: [...path, key], feature: `\`${key}\``, instead };
    }
  }
}

function* highLevel(value: unknown): Generator<Finding> {
  if (!isRecord(value)) return;
  if (value.type === 'agent') {
    yield { path: ['type'], feature: '`type: agent`', instead: 'Write a workflow with the steps in their order.' };
  }
  yield* keysIn(value, TOP_KEYS, []);
}

function* implementation(value: unknown, path: PropertyKey[] = []): Generator<Finding> {
  if (!isRecord(value)) return;
  const { api } = value;
  yield* keysIn(api, API_KEYS, [...path, 'api']);
  if (isRecord(api)) {
    const form = [{ key: 'content_type', instead: 'JSON is sent as application/json.' }];
    yield* keysIn(api.body, form, [...path, 'api', 'body']);
  }
  if (isRecord(api) && isRecord(api.body) && 'type' in api.body && api.body.type !== 'json') {
    const feature = `\`body.type: ${String(api.body.type)}\``;
    yield { path: [...path, 'api', 'body', 'type'], feature, instead: 'Send JSON: `body: { value: ... }`.' };
  }
}

function* lowLevel(value: unknown): Generator<Finding> {
  if (isRecord(value)) yield* implementation(value.implementation, ['implementation']);
}

function* config(value: unknown): Generator<Finding> {
  if (!isRecord(value) || !Array.isArray(value.abilities)) return;
  for (const [index, ability] of value.abilities.entries()) {
    if (isRecord(ability)) yield* implementation(ability.impl, ['abilities', index, 'impl']);
  }
}

/** The phases of sessions, which this version does not have. */
const SESSION_PHASES: readonly (Phase | undefined)[] = ['PromptSubmit', 'SessionStop'];

function* hooks(value: unknown, file: string): Generator<Finding> {
  if (!isRecord(value) || !Array.isArray(value.hooks)) return;
  const phase = phaseOf(file);
  if (SESSION_PHASES.includes(phase) && value.hooks.length > 0) {
    yield { path: ['hooks'], feature: `The phase ${phase}`, instead: 'Guard tasks: PreAbilityCreate, PreAbilityCall.' };
  }
  for (const [index, hook] of value.hooks.entries()) {
    if (!isRecord(hook)) continue;
    yield* keysIn(hook, HOOK_KEYS, ['hooks', index]);
    const handler = [{ key: 'ability', instead: 'Use a `script`, `expression` or `builtin` handler.' }];
    yield* keysIn(hook.handler, [...handler, ...HOOK_KEYS], ['hooks', index, 'handler']);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
