import { compilePattern } from '../../../rules/regular-expressions.js';
import { isPart, listOf, memberOf } from '../openapi/document-parts.js';
import { translateCondition } from './condition.js';
import { translateJsonPath } from './json-path.js';
import { NotTranslated } from './not-translated.js';
import { cutEmbedded, parseExpression, type Reading, readExpression, typeNamed } from './reading.js';
import { orNull, textLiteral } from './write-cel.js';

/** Joins criteria with `&&`; undefined: none. @throws NotTranslated for any, as without it more would pass. */
export function translateCriteria(criteria: unknown, reading: Reading): string | undefined {
  const parts = listOf(criteria).map((criterion, index) =>
    translateCriterion(criterion, { ...reading, place: `${reading.place}[${index}]` }),
  );
  const [only] = parts;
  return parts.length > 1 ? parts.map((part) => `(${part})`).join(' && ') : only;
}

function translateCriterion(criterion: unknown, reading: Reading): string {
  const condition = memberOf(criterion, 'condition');
  const refuse = (what: string): never => {
    throw new NotTranslated(`${what} (\`${String(condition).slice(0, 80)}\`)`, reading.place);
  };
  if (!isPart(criterion) || typeof condition !== 'string' || condition.trim() === '')
    return refuse('it has no condition');
  const type = typeNamed(memberOf(criterion, 'type'), refuse);
  if (type === 'simple') return translateSimple(condition, reading, refuse);
  const context = memberOf(criterion, 'context');
  if (typeof context !== 'string') return refuse(`a condition of type ${type} needs its context`);
  const value = orNull(readExpression(context, reading));
  if (type === 'regex') return translatePattern(condition, value, reading, refuse);
  if (type !== 'jsonpath') return refuse(`conditions of type ${type} cannot be translated`);
  if (cutEmbedded(condition).some((part) => typeof part !== 'string')) {
    return refuse('an expression inside of a JSONPath cannot be translated');
  }
  // Named, so that a long value is written and evaluated once.
  return `[dyn(${value})].exists(root, root != null && ${translateJsonPath(condition, 'root', refuse)})`;
}

function translateSimple(condition: string, reading: Reading, refuse: (what: string) => never): string {
  return translateCondition(condition, {
    refuse,
    read: (text) => {
      const { head, path } = withoutPath(text);
      const kind = parseExpression(head)?.kind;
      const value = readExpression(head, reading);
      const whole = path === '' ? value : { cel: `${value.cel}${optionalPath(path, refuse)}`, optional: true };
      if (path !== '') return { cel: orNull(whole), kind: 'any' };
      return { cel: orNull(whole), kind: kind === 'status' ? 'number' : 'any' };
    },
  });
}

/** Splits off a path of `.` and `[]` that a condition may append: `$response.body.items[0].id`. */
function withoutPath(text: string): { head: string; path: string } {
  const match = /^(\$response\.body(?:#[^.[\]]*)?)([.[].*)$/.exec(text) ?? /^([^[]+)(\[.*)$/.exec(text);
  return match?.[1] && match[2] ? { head: match[1], path: match[2] } : { head: text, path: '' };
}

function optionalPath(path: string, refuse: (what: string) => never): string {
  const parts = [...path.matchAll(/\.([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]/gy)];
  if (parts.map(([whole]) => whole).join('') !== path) return refuse(`${path} is not understood`);
  return parts.map(([, name, index]) => (name === undefined ? `[?${index}]` : `[?${textLiteral(name)}]`)).join('');
}

/** Patterns match as in RE2, anywhere in the text. */
function translatePattern(pattern: string, value: string, reading: Reading, refuse: (what: string) => never): string {
  const parts = cutEmbedded(pattern);
  const written = parts.map((part) => (typeof part === 'string' ? part : 'x')).join('');
  try {
    compilePattern(written);
  } catch {
    return refuse('its regular expression is not one of RE2');
  }
  const cel = parts
    .map((part) =>
      typeof part === 'string' ? textLiteral(part) : `string(${orNull(readExpression(part.expression, reading))})`,
    )
    .join(' + ');
  return `[dyn(${value})].exists(text, type(text) in [string, int, double, bool] && string(text).matches(${cel === '' ? '""' : cel}))`;
}
