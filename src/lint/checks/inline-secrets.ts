import { isMap, isScalar, isSeq, type Node, type Pair, visit } from 'yaml';
import { formatLocation } from '../../contracts/problem.js';
import type { YamlSource } from '../../definitions/yaml-source.js';
import { findingOf } from '../../planning/finding-of.js';
import { type Check, ofEachSource } from '../linted-project.js';
import { referencesToProviders } from './credentials.js';

/** Names of settings that hold a secret, also as a suffix: `DB_PASSWORD`, `api-key`, `clientSecret`. */
const SECRET_NAME =
  /(^|[_.-]|(?<=[a-z])(?=[A-Z]))(password|passwd|passphrase|(?<=[_-])pwd|secret|token|api[_-]?key|apikey|private[_-]?key|access[_-]?key|signing[_-]?key|credential)s?$/i;

const SECRET_HEADER = /^((proxy-)?authorization|cookie)$/i;

/** Unambiguous forms of secrets: keys of well-known services, tokens, private keys. */
const SECRET_FORMS: readonly RegExp[] = [
  /\bgh[pousr]_[A-Za-z0-9]{30,}\b/,
  /\bgithub_pat_[A-Za-z0-9_]{30,}\b/,
  /\bglpat-[A-Za-z0-9_-]{20,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{35}\b/,
  // Without the look-behind, each `eyJ-` in a hostile text would be read to its end.
  /(?<![\w-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\./,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  // The same in base64.
  /\bLS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}/,
];

const ANY_FORM = new RegExp(SECRET_FORMS.map(({ source }) => source).join('|'), 'g');

/** Secrets by their prefix. In a description they may be examples. */
const SECRET_VALUES: readonly RegExp[] = [
  ...SECRET_FORMS,
  /\bBearer\s+(?!\{credential:|\$\{\{)[A-Za-z0-9._~+/-]{16,}/,
  /:\/\/[^\s/:@{}]+:[^\s/@{}]+@/,
  /[?&](access_token|api_?key|token|client_secret|secret|password)=(?![{$])[^&\s]{8,}/i,
  /(^|\s)--?[a-z-]*(password|passwd|secret|token|api-?key|access-?key)[= ](?![{$-]|env:|file:)[^\s/.]\S{5,}/i,
];

/** An option of a command whose value is the next word. */
const SECRET_OPTION = /^--?[a-z-]*(password|passwd|secret|token|api-?key|access-?key)$/i;

/** Parts of a file that describe values and hold none. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['input_schema', 'output_schema', 'routing_hints']);

interface Found {
  key: string;
  start: number;
  end: number;
}

/** Finds literal secrets where a reference belongs; never repeats their value. Source: R-000-53, R-000-89. */
export const checkInlineSecrets: Check = (project) => {
  // Another check finds those that no provider resolves.
  const references = new Set(referencesToProviders(project.registry).map(({ location }) => formatLocation(location)));
  return [...inSources(project)].filter(({ location }) => !references.has(formatLocation(location)));
};

const inSources = ofEachSource((source) =>
  [...secretsIn(source)]
    .sort((a, b) => a.start - b.start)
    .map(({ key, start }) =>
      findingOf('lint.inline_secret', `${key} contains what looks like a secret`, source.locateOffset(start)),
    ),
);

function secretsIn(source: YamlSource): Found[] {
  const found = [...secretValues(source), ...secretDefaults(source)];
  // Comments, keys and descriptions are public, too.
  for (const { 0: text, index } of source.text.matchAll(ANY_FORM)) {
    const end = index + text.length;
    if (found.some((other) => other.start < end && index < other.end)) continue;
    found.push({ key: 'The text here', start: index, end });
  }
  return found;
}

function secretValues({ document }: YamlSource): Found[] {
  const found: Found[] = [];
  visit(document, {
    Pair(_, pair) {
      const key = keyOf(pair);
      if (DESCRIPTIONS.has(key)) return visit.SKIP;
      const { value } = pair;
      if (isMap(value) || !isScalar(value) || typeof value.value !== 'string') return undefined;
      if (isSecret(key, value.value)) found.push(foundIn(`\`${key}\``, value));
      return undefined;
    },
    Scalar(key, node, path) {
      if (key === 'key' || typeof node.value !== 'string' || typeof key !== 'number') return;
      const list = path.at(-1);
      const before = isSeq(list) && key > 0 ? list.items[key - 1] : undefined;
      const follows = isScalar(before) && typeof before.value === 'string' && SECRET_OPTION.test(before.value);
      if (hasSecretForm(node.value) || (follows && isLiteral(node.value) && !node.value.startsWith('-'))) {
        found.push(foundIn('A list', node));
      }
    },
  });
  return found;
}

/** Defaults in a schema of properties with a {@link SECRET_NAME}. */
function secretDefaults({ document, text }: YamlSource): Found[] {
  const found: Found[] = [];
  if (!text.includes('default')) return found;
  visit(document, {
    Pair(_, pair) {
      const { value } = pair;
      if (!isMap(value) || !SECRET_NAME.test(keyOf(pair))) return;
      const node = value.get('default', true);
      if (isScalar(node) && typeof node.value === 'string' && isLiteral(node.value)) {
        found.push(foundIn(`The default of \`${keyOf(pair)}\``, node));
      }
    },
  });
  return found;
}

function foundIn(key: string, node: Node): Found {
  const [start, end] = node.range ?? [0, 0];
  return { key, start, end };
}

function isSecret(key: string, value: string): boolean {
  if (hasSecretForm(value)) return true;
  if (SECRET_HEADER.test(key)) return /[0-9=]/.test(value) && value.length >= 8 && !isReference(value);
  return SECRET_NAME.test(key) && isLiteral(value);
}

const SHORTEST = 9;

function hasSecretForm(value: string): boolean {
  return value.length >= SHORTEST && (SECRET_VALUES.some((pattern) => pattern.test(value)) || hasBasicValue(value));
}

/** `Basic` is followed by a secret if the text is `user:password` in base64, and not a word of a sentence. */
function hasBasicValue(value: string): boolean {
  return [...value.matchAll(/\bBasic\s+([A-Za-z0-9+/]{8,}={0,2})(?=\s|$)/g)].some(([, encoded = '']) => {
    const bytes = Buffer.from(encoded, 'base64');
    const isWhole = bytes.toString('base64').replace(/=+$/, '') === encoded.replace(/=+$/, '');
    return isWhole && /^[^\s:]*:[^\p{Cc}\ufffd]*$/u.test(bytes.toString('utf8'));
  });
}

/** Whether a text is a literal value: no reference, template or placeholder, and without blanks. */
function isLiteral(value: string): boolean {
  return value.length >= 6 && !isReference(value) && !/\s/.test(value);
}

function isReference(value: string): boolean {
  return /^(env:|file:)|\$\{\{|\{credential:|^[{<]|^\$([A-Za-z_]\w*$|[{(])/.test(value);
}

function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}
