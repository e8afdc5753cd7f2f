import type { Severity } from './findings.js';

/** What one kind of finding means. `docs/lint.md` and `ability explain` are made from this table. */
export interface LintMeaning {
  severity: Severity;
  /** What is wrong, in one sentence. */
  means: string;
  /** Why it matters, in one sentence. */
  why: string;
  /** What to do. */
  fix: string;
}

/** Findings of `ability lint` besides the errors of broken definitions. Source: issue "Definitions people can trust". */
export const LINT_CODES = {
  'lint.hook_disabled': {
    severity: 'warning',
    means: 'An ability binds a hook that is not enabled.',
    why: 'Whoever reads the binding believes that the hook stands guard, and it does not fire.',
    fix: 'Set `enabled: true` at the hook, or take it out of the binding.',
  },
  'lint.hooks_dropped': {
    severity: 'warning',
    means: 'A lower level drops hooks of a higher one with `replace: true`.',
    why: 'A guard that the contract of the ability promises does not stand in this environment.',
    fix: 'Bind the hooks again that must stay, or leave `replace` out, so that the lists are united.',
  },
  'lint.implementation_deprecated': {
    severity: 'warning',
    means: 'An ability uses an implementation that is tagged `deprecated`.',
    why: 'It will go away, and what still uses it then stops working.',
    fix: 'Name another `default_implementation` in registry/config.',
  },
  'lint.implementation_experimental': {
    severity: 'warning',
    means: 'An ability uses an implementation that is tagged `experimental`.',
    why: 'Its author does not promise yet that it works or stays as it is.',
    fix: 'Name another `default_implementation` in registry/config, or remove the tag once it is proven.',
  },
  'lint.placement_contradiction': {
    severity: 'warning',
    means: 'An ability is placed in the cloud although a step of it needs a local server.',
    why: 'The explicit placement wins, and the step then runs where its server may not be reachable.',
    fix: 'Leave `placement` out, or list the server under `placement.cloud` in ability.yaml.',
  },
  'lint.unknown_error_code': {
    severity: 'warning',
    means: 'A list of `errors` names a code that nothing fails with.',
    why: 'The retry or the handler that it belongs to never does anything.',
    fix: 'Correct the code; docs/errors.md has them all.',
  },
} as const satisfies Record<string, LintMeaning>;

/** Errors that keep an ability from being planned, and that lint tells before anybody runs it. */
export const LINT_ERRORS = [
  'config.invalid',
  'config.missing_credential',
  'config.missing_endpoint',
  'config.no_implementation',
  'definition.duplicate',
  'definition.invalid',
  'definition.syntax',
  'definition.too_large',
  'definition.unknown_reference',
  'definition.unread',
  'denied.host',
  'expression.syntax',
  'feature.unsupported',
  'project.two_registries',
  'script.missing',
  'script.not_executable',
] as const;

/** A code of {@link LINT_CODES}. */
export type LintCode = keyof typeof LINT_CODES;

/** What a code of lint means; undefined where it is none. */
export function lintMeaningOf(code: string): LintMeaning | undefined {
  return Object.hasOwn(LINT_CODES, code) ? LINT_CODES[code as LintCode] : undefined;
}
