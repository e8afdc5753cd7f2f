import type { Finding } from '../../contracts/findings.js';
import { isJsonObject, type Json } from '../../contracts/json.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { type Belongs, expressionsOf, handlerOutputs } from '../../definitions/step-expressions.js';
import { findingOf } from '../../planning/finding-of.js';
import { implementationBodies } from '../../planning/resolve/choose-implementation.js';
import { walkSteps } from '../../planning/steps/called-abilities.js';
import { textsIn } from '../../rules/expressions/split-text.js';
import { shorten } from '../../text/shorten.js';
import type { LintedProject } from '../linted-project.js';

/**
 * Finds texts in the syntax of other languages, which reach their ability unevaluated. Source:
 * docs/workflow-language.md#expressions.
 */
export function* checkUnevaluatedTexts({ registry }: LintedProject): Generator<Finding> {
  for (const workflow of registry.workflows.values()) {
    const known = namesOf(workflow.value);
    for (const { value, path } of templatesOf(workflow.value)) {
      for (const text of textsIn(value, path)) {
        const look = lookOf(text.value, known) ?? variableLook(text.value);
        if (look) yield findingOf('lint.text_not_evaluated', look.message, workflow.locate(text.path), look.fix);
      }
    }
  }
  yield* inScripts(registry);
}

type ScriptKey = 'args' | 'args_template' | 'env' | 'set';

function scriptLook(text: string, key: ScriptKey): Look | undefined {
  if (text.includes('${{')) return key === 'set' || key === 'args_template' ? templateLook(text, key) : undefined;
  // In `env`, this is a reference.
  return key === 'env' && text.startsWith('env:') ? undefined : variableLook(text);
}

/** Scripts receive arguments and variables unchanged: no shell expands them. */
function* inScripts(registry: Registry): Generator<Finding> {
  const found: { from: Loaded<unknown>; path: PropertyKey[]; value: Json | undefined; key: ScriptKey }[] = [];
  for (const { body, from, path } of implementationBodies(registry)) {
    if (body.kind !== 'script') continue;
    for (const key of ['args', 'args_template', 'env'] as const) {
      found.push({ from, path: [...path, 'script', key], value: body.script[key], key });
    }
  }
  for (const from of registry.envProfiles.values()) {
    found.push({ from, path: ['set'], value: from.value.set, key: 'set' });
  }
  for (const { from, path, value, key } of found) {
    for (const text of textsIn(value, path)) {
      const look = scriptLook(text.value, key);
      if (look) yield findingOf('lint.text_not_evaluated', look.message, from.locate(text.path), look.fix);
    }
  }
}

function* templatesOf(workflow: HighLevel): Generator<{ value: Json | undefined; path: PropertyKey[] }> {
  yield { value: workflow.output, path: ['output'] };
  yield { value: workflow.concurrency?.key, path: ['concurrency', 'key'] };
  yield* handlerOutputs(workflow.on_error);
  for (const { step, path } of walkSteps(workflow)) {
    for (const one of expressionsOf(step))
      if (ANY_TEXT.has(one.belongs)) yield { ...one, path: [...path, ...one.path] };
  }
}

/** Kinds of values in which any text is valid, so that only its form suggests an expression. */
const ANY_TEXT: ReadonlySet<string> = new Set<Belongs>(['text', 'parameters', 'output', 'value']);

interface Names {
  fields: ReadonlySet<string>;
  steps: ReadonlySet<string>;
}

function namesOf(workflow: HighLevel): Names {
  const { properties } = workflow.input_schema;
  return {
    fields: new Set(isJsonObject(properties) ? Object.keys(properties) : []),
    steps: new Set([...walkSteps(workflow)].map(({ id }) => id)),
  };
}

/** Other languages' syntax with our names: `{input.id}`, `$(input.id)`, `$input.id`, `${steps.a.output}`. */
const FOREIGN = /(?:(?<![${])\{\s*|\$\(\s*|\$\{\s*|\$\.?)((?:inputs?|steps|environment)\.[A-Za-z_][\w.]*)/;

interface Look {
  message: string;
  fix: string;
}

function lookOf(text: string, known: Names): Look | undefined {
  if (text.includes('${{')) return undefined;
  const bare = /^\s*(input|steps|environment)\.([A-Za-z_]\w*)((?:\.[A-Za-z_]\w*)*)\s*$/.exec(text);
  const [, name = '', first = '', rest = ''] = bare ?? [];
  const isName =
    (name === 'input' && known.fields.has(first)) ||
    (name === 'steps' && known.steps.has(first) && /^\.(output|status|error)\b/.test(rest)) ||
    (name === 'environment' && /^(name|protected|vars)$/.test(first));
  const inner = isName ? text.trim() : FOREIGN.exec(text)?.[1]?.replace(/^inputs\./, 'input.');
  if (inner === undefined) return undefined;
  return { message: `\`${short(text)}\` is a text here, which nothing evaluates`, fix: `Write \${{ ${inner} }}.` };
}

function templateLook(text: string, key: ScriptKey): Look {
  return {
    message: `\`${short(text)}\` reaches the script as it is: no \${{ }} is evaluated here`,
    fix: key === 'set' ? 'Set it under `env` of the script.' : 'Set the arguments as a list, `args`.',
  };
}

/** The whole text is `$NAME`, `${NAME}`, `%NAME%` or `env:NAME`. */
function variableLook(text: string): Look | undefined {
  if (!/^(env:[A-Za-z_]\w*|\$[A-Z][A-Z0-9_]+|\$\{[A-Z][A-Z0-9_]+\}|%[A-Z][A-Z0-9_]+%)$/.test(text)) return undefined;
  return {
    message: `\`${text}\` is a text here; nothing puts the variable in its place`,
    fix: 'Let the `env_profile` of the script `pass` the variable, or set it under `secrets`.',
  };
}

function short(text: string): string {
  return shorten(text.split('\n', 1)[0] ?? '');
}
