import { AbilityError, formatLocation, invalidDefinition, type Problem } from '../../contracts/problem.js';
import type { TriggerSpec } from '../../contracts/webhooks.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import { type Loaded, type Registry, unreadable } from '../../definitions/registry.js';
import type { Spot } from '../../definitions/spot.js';
import { compileExpression } from '../../rules/expressions/evaluate.js';
import { sourcesIn, splitText, textsIn } from '../../rules/expressions/split-text.js';
import { checkScope } from '../resolve/check-ability.js';
import { resolveEnvironment } from '../resolve/resolve-environment.js';
import { SecretSource } from '../secrets/secret-source.js';
import {
  type Available,
  checkAt,
  checkCondition,
  checkTemplate,
  ErrorCollector,
  relocated,
} from '../steps/check-names.js';
import { STANDARD_SECRET, standardKey } from './standard-webhooks.js';

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
  const check = (part: string | undefined, action: (spot: Spot) => void): void => {
    const spot = { from, path: ['triggers', index, ...(part === undefined ? [] : [part])] };
    collector.gather(() => checkAt(spot, () => action(spot)), undefined);
  };
  check(spec.environment === undefined ? undefined : 'environment', () => void triggerEnvironment(registry, found));
  const { if: condition, key, input } = spec;
  if (condition !== undefined) {
    check('if', (spot) => {
      checkCondition(condition, IN_TRIGGERS, spot);
      refuseUnseenHeaders([compileExpression(condition).source]);
    });
  }
  check('input', (spot) => {
    checkTemplate(input, IN_TRIGGERS, spot);
    refuseUnseenHeaders([...textsIn(input)].flatMap(({ value }) => sourcesIn(value)));
  });
  if (key !== undefined) {
    check('key', (spot) => {
      checkTemplate(key, IN_TRIGGERS, spot);
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
    throw invalidDefinition(
      `\`${String(wrong)}\` cannot be part of a task key`,
      undefined,
      'A key has 1 to 64 letters, digits, dots, dashes and underscores, and begins with a letter or digit.',
    );
  }
  const reads = parts.some((part) => {
    return typeof part !== 'string' && compileExpression(part.source).references.some(({ name }) => name === 'webhook');
  });
  if (reads) return;
  throw invalidDefinition(
    `The key \`${key}\` is the same for each delivery, so that only the first would start a task`,
    undefined,
    "Use a value that differs between deliveries, such as `${{ webhook.headers['x-github-delivery'] }}`, or leave it out.",
  );
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
      throw invalidDefinition(
        `\`webhook.headers\` never has \`${name}\` (in \`${source}\`)`,
        undefined,
        isCapital
          ? `Names of headers are in small letters: \`webhook.headers['${name.toLowerCase()}']\`.`
          : 'Expressions cannot read headers that authenticate the sender or describe the route of a request.',
      );
    }
  }
}

/**
 * The secret with which a webhook's sender signs. @param env of the door.
 * @throws AbilityError `config.missing_credential`, `config.invalid`, and as `triggerEnvironment`.
 */
export function resolveTriggerSecret(registry: Registry, found: FoundTrigger, env: NodeJS.ProcessEnv): string {
  const { webhook, secret } = found.spec;
  const environment = triggerEnvironment(registry, found);
  const source = new SecretSource(registry.root, environment, env);
  if (source.has(secret)) return checked(source.resolve(secret, `secret of the webhook ${webhook}`), found);
  const name = secret.replace(/^(?:env|file):/, '');
  throw new AbilityError({
    code: 'config.missing_credential',
    message: `Missing required configuration: ${name} (${environment}), the secret of the webhook ${webhook}`,
    location: found.from.locate(['triggers', found.index, 'secret']),
    suggestion: secret.startsWith('env:')
      ? `Set ${name} in .env.${environment} or .env, or in the environment of \`ability serve\`.`
      : `Create the file ${name}.`,
  });
}

/** A truncated Standard Webhooks secret would refuse every message. @throws AbilityError `config.invalid`. */
function checked(text: string, { spec, from, index }: FoundTrigger): string {
  if (!text.startsWith('whsec_') || standardKey(text)) return text;
  throw new AbilityError({
    code: 'config.invalid',
    message: `The secret of the webhook ${spec.webhook} is no key of Standard Webhooks: ${STANDARD_SECRET}`,
    location: from.locate(['triggers', index, 'secret']),
    suggestion: 'Copy it from its sender, or make one: echo "whsec_$(openssl rand -base64 32)".',
  });
}

/** @throws AbilityError as {@link resolveTriggerSecret}, `statedTriggers` and `checkTrigger`. */
export function usableTriggers(registry: Registry, env: NodeJS.ProcessEnv): FoundTrigger[] {
  const found = [...statedTriggers(registry).values()];
  for (const trigger of found) {
    checkTrigger(registry, trigger);
    resolveTriggerSecret(registry, trigger, env);
  }
  return found;
}

export interface FoundTrigger {
  spec: TriggerSpec;
  from: Loaded<LowLevel> | Loaded<HighLevel>;
  /** Index in `triggers`. */
  index: number;
}

export function* findTriggers({ workflows, operations }: Registry): Generator<FoundTrigger> {
  for (const [ability, from] of [...workflows, ...operations]) {
    for (const [index, entry] of (from.value.triggers ?? []).entries()) {
      const { environment, if: condition, key, intent, ...rest } = entry;
      const optional = { environment, if: condition, key, intent };
      const stated = Object.entries(optional).filter(([, value]) => value !== undefined);
      yield { spec: { ability, ...rest, ...Object.fromEntries(stated) }, from, index };
    }
  }
}

/** By webhook name. @throws AbilityError `definition.duplicate`: one address starts one ability. */
export function statedTriggers(registry: Registry): Map<string, FoundTrigger> {
  const found = new Map<string, FoundTrigger>();
  for (const stated of findTriggers(registry)) {
    const first = found.get(stated.spec.webhook);
    if (first) throw webhookTwice(first, stated);
    found.set(stated.spec.webhook, stated);
  }
  return found;
}

/** The error of an unreadable definition that may state webhooks; undefined if all are readable. */
export function unreadTriggers(registry: Registry): Problem | undefined {
  const [, problem] = [...registry.broken].find(([key]) => key.startsWith('ability:')) ?? [];
  return problem ?? unreadable(registry, 'low-level', 'high-level');
}

/** @param second the error is located here. */
export function webhookTwice(first: FoundTrigger, { spec, from, index }: FoundTrigger): AbilityError {
  return new AbilityError({
    code: 'definition.duplicate',
    message: `The webhook ${spec.webhook} is in ${formatLocation(first.from.locate(['triggers', first.index, 'webhook']))} as well`,
    suggestion: 'Give each webhook of the project a name of its own; a sender may send to several addresses.',
    location: from.locate(['triggers', index, 'webhook']),
  });
}
