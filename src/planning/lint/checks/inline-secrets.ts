import { isMap, isScalar, type Pair, visit } from 'yaml';
import type { Finding } from '../../../contracts/findings.js';
import { findingOf } from '../finding-of.js';
import type { LintedProject } from '../linted-project.js';

/** Names of settings that hold a secret, whatever they are part of: `DB_PASSWORD`, `api-key`, `clientSecret`. */
const SECRET_NAME =
  /(^|[_.-]|(?<=[a-z])(?=[A-Z]))(password|passwd|passphrase|secret|token|api[_-]?key|apikey|private[_-]?key|credential)s?$/i;

/** Values that are secrets by their own form: keys of well-known services, tokens, private keys, passwords in URLs. */
const SECRET_VALUES: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{30,}\b/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\b[rs]k_(live|test)_[A-Za-z0-9]{16,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\b(AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{35}\b/,
  // Only where a token begins: `-` is part of one, and from each `eyJ-` on a hostile text would be read to its end.
  /(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bBearer\s+(?!\{credential:|\$\{\{)[A-Za-z0-9._~+/-]{16,}/,
  /\bBasic\s+(?!\{credential:|\$\{\{)[A-Za-z0-9+/]{12,}={0,2}(\s|$)/,
  /:\/\/[^\s/:@{}]+:[^\s/@{}]+@/,
];

/** Parts of a file that describe values and hold none: schemas, and words for people. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['input_schema', 'output_schema', 'routing_hints']);

/** Finds secrets that are written where a reference belongs. The value itself is never repeated. Source: R-000-53, R-000-89. */
export function* checkInlineSecrets({ sources }: LintedProject): Generator<Finding> {
  for (const source of sources) {
    const found: { key: string; offset: number }[] = [];
    visit(source.document, {
      Pair(_, pair) {
        const key = keyOf(pair);
        if (DESCRIPTIONS.has(key)) return visit.SKIP;
        const { value } = pair;
        if (isMap(value) || !isScalar(value) || typeof value.value !== 'string') return undefined;
        if (isSecret(key, value.value)) found.push({ key, offset: value.range?.[0] ?? 0 });
        return undefined;
      },
      Scalar(key, node) {
        if (key === 'key' || typeof node.value !== 'string' || typeof key !== 'number') return;
        if (SECRET_VALUES.some((pattern) => pattern.test(node.value as string))) {
          found.push({ key: 'a list', offset: node.range?.[0] ?? 0 });
        }
      },
    });
    for (const { key, offset } of found) {
      yield findingOf(
        'lint.inline_secret',
        `\`${key}\` holds what looks like a secret itself`,
        source.locateOffset(offset),
      );
    }
  }
}

function isSecret(key: string, value: string): boolean {
  if (SECRET_VALUES.some((pattern) => pattern.test(value))) return true;
  return SECRET_NAME.test(key) && isLiteral(value);
}

/** Whether a text stands for itself, and is neither a reference, a template, a placeholder nor a path. */
function isLiteral(value: string): boolean {
  return value.length >= 6 && !/^(env:|file:)|\$\{\{|\{credential:|^[{<$]|\s/.test(value);
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}
