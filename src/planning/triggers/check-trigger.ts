import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { splitText } from '../../rules/expressions/split-text.js';
import { checkScope } from '../resolve/check-ability.js';
import { resolveEnvironment } from '../resolve/resolve-environment.js';
import { type Available, checkCondition, checkTemplate } from '../steps/check-names.js';
import { ErrorCollector, placed, relocated } from '../steps/definition-errors.js';
import type { FoundTrigger } from './stated-triggers.js';

/** Names in expressions of a trigger: a repeated delivery must start the same task. */
const IN_TRIGGERS: Available = {
  names: ['webhook'],
  functions: [],
  where: 'a trigger',
  instead:
    'The same delivery is the same task, whenever it comes; use what is in `webhook.headers` and `webhook.body`.',
};

/**
 * Refuses a trigger that could start nothing: a wrong environment, an invalid expression, a key that may be
 * missing or is always the same. @throws AbilityError with the place; `DefinitionErrors` for several mistakes.
 */
export function checkTrigger(registry: Registry, found: FoundTrigger): void {
  const { spec, from, index } = found;
  const collector = new ErrorCollector();
  const check = (part: string | undefined, action: (path: PropertyKey[]) => void): void => {
    const path = ['triggers', index, ...(part === undefined ? [] : [part])];
    try {
      action(path);
    } catch (error) {
      collector.keep(placed(error, from, path));
    }
  };
  check(spec.environment === undefined ? undefined : 'environment', () => void triggerEnvironment(registry, found));
  const { if: condition, key, input } = spec;
  if (condition !== undefined) {
    check('if', (path) => {
      checkCondition(condition, IN_TRIGGERS, from, path);
      refuseUnseenHeaders([compileExpression(condition).source]);
    });
  }
  check('input', (path) => {
    checkTemplate(input, IN_TRIGGERS, from, path);
    refuseUnseenHeaders(sourcesIn(input));
  });
  if (key !== undefined) {
    check('key', (path) => {
      checkTemplate(key, IN_TRIGGERS, from, path);
      refuseUnseenHeaders(sourcesIn(key));
      refuseKey(key);
    });
  }
  collector.throwIfAny();
}

/**
 * The stated one, else the ability's only one.
 * @throws AbilityError `config.no_environment`, `environment.not_found`, `scope.environment`.
 */
export function triggerEnvironment(registry: Registry, { spec, from }: FoundTrigger): string {
  const { ability, environment } = spec;
  if (environment !== undefined) {
    // The caller sets the place of the error, which is in the trigger.
    relocated(undefined, () => {
      resolveEnvironment(registry, environment);
      checkScope(ability, from, environment);
    });
    return environment;
  }
  const names = Object.keys(registry.project.environments);
  const fitting = names.filter((name) => from.value.scope.environments?.includes(name) ?? true);
  const [only] = fitting;
  if (only !== undefined && fitting.length === 1) return only;
  throw new AbilityError({
    code: 'config.no_environment',
    message: `The webhook ${spec.webhook} states no environment, and ${ability} may be used in ${fitting.join(', ') || 'none'}`,
    suggestion: `Set \`environment\` to one of ${(fitting.length > 0 ? fitting : names).join(', ')}.`,
  });
}

const PARTS_OF_KEYS = /^[A-Za-z0-9._-]*$/;

/** @throws AbilityError `definition.invalid`. */
function refuseKey(key: string): void {
  const parts = splitText(key);
  const wrong = parts.find((part, at) => {
    return typeof part === 'string' && !(PARTS_OF_KEYS.test(part) && (at > 0 || /^[A-Za-z0-9]/.test(part)));
  });
  if (wrong !== undefined) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `\`${String(wrong)}\` cannot be part of a task key`,
      suggestion: 'A key has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
    });
  }
  const reads = parts.some((part) => {
    return typeof part !== 'string' && compileExpression(part.source).references.some(({ name }) => name === 'webhook');
  });
  if (reads) return;
  throw new AbilityError({
    code: 'definition.invalid',
    message: `The key \`${key}\` is the same for each delivery, so that only the first would start a task`,
    suggestion:
      "Use a value that differs between deliveries, such as `${{ webhook.headers['x-github-delivery'] }}`, or leave it out.",
  });
}

function sourcesIn(template: unknown): string[] {
  if (typeof template === 'string')
    return splitText(template).flatMap((part) => (typeof part === 'string' ? [] : [part.source]));
  if (template === null || typeof template !== 'object') return [];
  return Object.values(template).flatMap(sourcesIn);
}

/** Headers that authenticate the sender: signatures, tokens, cookies. Expressions cannot read them. */
const SHOWS_WHO = /auth|cookie|credential|api-?key|access-?key|password|secret|signature|token|session/;

/** Headers about the route of a request, not its content. */
const OF_THE_WAY =
  /^(?:connection|content-length|cdn-.*|cf-.*|expect|forwarded|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via|x-forwarded-.*|x-real-ip|x-hub-.*)$/;

/** Whether expressions of a trigger can read a header. @param name in lower case. */
function isSeenHeader(name: string): boolean {
  // A header could be named `__proto__`.
  return /^[a-z0-9][a-z0-9-]*$/.test(name) && name !== 'constructor' && !SHOWS_WHO.test(name) && !OF_THE_WAY.test(name);
}

/** The value of `webhook.headers`: names in lower case; repeated headers joined by a comma. */
export function seenHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      if (value === undefined || !isSeenHeader(name)) return [];
      return [[name, Array.isArray(value) ? value.join(', ') : value]];
    }),
  );
}

const READ = /\bwebhook\.headers\s*(?:\[\s*(?:"([^"]*)"|'([^']*)')\s*\]|\.\??([A-Za-z_]\w*))/g;

/** Refuses CEL that reads a header which is never present. @throws AbilityError `definition.invalid`. */
function refuseUnseenHeaders(sources: readonly string[]): void {
  for (const source of sources) {
    for (const [, double, single, member] of source.matchAll(READ)) {
      const name = double ?? single ?? member ?? '';
      if (isSeenHeader(name)) continue;
      const isCapital = isSeenHeader(name.toLowerCase());
      throw new AbilityError({
        code: 'definition.invalid',
        message: `\`webhook.headers\` never has \`${name}\` (in \`${source}\`)`,
        suggestion: isCapital
          ? `Names of headers are in small letters: \`webhook.headers['${name.toLowerCase()}']\`.`
          : 'Expressions cannot read headers that authenticate the sender or describe the route of a request.',
      });
    }
  }
}
