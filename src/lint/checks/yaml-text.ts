import { isAlias, isMap, isPair, isScalar, type Node, Scalar, visit } from 'yaml';
import type { Finding } from '../../contracts/findings.js';
import type { LintCode } from '../../contracts/lint-codes.js';
import type { YamlSource } from '../../definitions/yaml-source.js';
import { findingOf } from '../../planning/finding-of.js';
import { type LintedProject, ofEachSource } from '../linted-project.js';

/** Words that YAML 1.1 parsers and people take for booleans; here they are texts. */
const BOOLEAN_WORDS = /^(yes|no|on|off)$/i;

/** Numbers that YAML 1.2 reads and writes back unchanged. */
const PLAIN_NUMBER = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/;

interface Look {
  code: LintCode;
  message: string;
  offset: number;
}

/** Finds YAML that means something else than it seems to. */
export const checkYamlLooks = ofEachSource((source) =>
  looksOf(source).map(({ code, message, offset }) => findingOf(code, message, source.locateOffset(offset))),
);

function looksOf(source: YamlSource): Look[] {
  const looks: Look[] = [];
  visit(source.document, {
    Scalar(key, node) {
      if (node.type !== Scalar.PLAIN) return;
      const look = (key !== 'key' && (cutByComment(node, source.text) ?? lostCharacters(node))) || undefined;
      if (look) looks.push(look);
    },
    Map(_, map) {
      if (map.flow) looks.push(...withoutValues(map.items));
    },
  });
  return looks;
}

/** A `#` after a blank begins a comment, so `Release #12` is `Release`. */
function cutByComment(node: Scalar, text: string): Look | undefined {
  const [, end] = node.range ?? [0, 0];
  const comment = /^[ \t]+#(.*)/.exec(
    text.slice(end, text.indexOf('\n', end) === -1 ? undefined : text.indexOf('\n', end)),
  )?.[1];
  if (comment === undefined) return undefined;
  const offset = node.range?.[0] ?? 0;
  const value = String(node.source ?? '');
  if (comment.includes('${{')) {
    const message = `\`${value}\` ends at the \`#\`; the \${{ }} after it is a comment`;
    return { code: 'lint.yaml_template_in_comment', message, offset };
  }
  if (!/^[^\s#!-]/.test(comment) && !isOpen(value)) return undefined;
  return {
    code: 'lint.yaml_comment_cuts',
    message: `\`${value}\` ends at the \`#\`; what follows is a comment`,
    offset,
  };
}

/** Whether a text seems to be cut off: a bracket or quote in it is not closed. */
function isOpen(text: string): boolean {
  const count = (pattern: RegExp): number => text.match(pattern)?.length ?? 0;
  return count(/\(/g) > count(/\)/g) || count(/\{\{/g) > count(/\}\}/g) || count(/"/g) % 2 === 1;
}

/** Finds numbers and words that are read in another way than they seem to be written. */
function lostCharacters(node: Scalar): Look | undefined {
  const text = node.source ?? '';
  const offset = node.range?.[0] ?? 0;
  if (typeof node.value === 'number' && !PLAIN_NUMBER.test(text)) {
    const message = `\`${text}\` is read as the number ${node.value}`;
    return { code: 'lint.yaml_number', message, offset };
  }
  if (typeof node.value === 'string' && BOOLEAN_WORDS.test(text)) {
    const message = `\`${text}\` is read as the text "${text}", not as a boolean`;
    return { code: 'lint.yaml_boolean_word', message, offset };
  }
  return undefined;
}

/** `{ a, b }` and `{ a:1 }` are maps with keys and no values. */
function withoutValues(items: readonly unknown[]): Look[] {
  return items.flatMap((item) => {
    if (!isPair(item) || !isScalar(item.key)) return [];
    const value = item.value as Node | null;
    const isEmpty = value === null || (isScalar(value) && value.value === null && (value.source ?? '') === '');
    if (!isEmpty || isAlias(value) || isMap(value)) return [];
    const message = `\`${String(item.key.value)}\` is a key without a value`;
    return [{ code: 'lint.yaml_flow_map', message, offset: item.key.range?.[0] ?? 0 }];
  });
}

/** Invisible characters and bidirectional controls, without joiners: some scripts and emoji need those. */
const HIDDEN = /[\u00AD\u180E\u200B\u2060\u202A-\u202E\u2066-\u2069]|(?<!^)\uFEFF/g;

/** Letters of Cyrillic and Greek that look like Latin ones. */
const LOOKALIKES = 'аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅοαΑΒΕΖΗΙΚΜΝΟΡΤΥΧ';

const MIXED = new RegExp(`(?<![\\p{L}\\p{N}_])[A-Za-z0-9_${LOOKALIKES}]+(?![\\p{L}\\p{N}_])`, 'gu');

const LOOKALIKE = new RegExp(`[${LOOKALIKES}]`, 'u');

/** Finds invisible characters, and words that mix Latin letters with lookalikes. */
export function* checkCharacters({ sources }: LintedProject): Generator<Finding> {
  for (const { text, locateOffset } of sources) {
    if (!/\P{ASCII}/u.test(text)) continue;
    for (const { 0: character, index } of text.matchAll(HIDDEN)) {
      const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
      const message = `This text contains an invisible character, ${code}`;
      yield findingOf('lint.hidden_character', message, locateOffset(index));
    }
    for (const { 0: word, index } of text.matchAll(MIXED)) {
      if (!/[A-Za-z]/.test(word)) continue;
      const at = word.search(LOOKALIKE);
      if (at < 0) continue;
      const message = `The letter ${at + 1} of \`${word}\` is not the Latin one that it looks like`;
      yield findingOf('lint.lookalike_letter', message, locateOffset(index));
    }
  }
}
