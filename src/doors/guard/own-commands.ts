import { realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { isKnown, MARK, patternOf } from '../../rules/shell/marks.js';
import { type Finding, forPeople } from './finding.js';

/** Commands that decide, or that hand out what proves who decides. */
const DECIDING = /^(approve|deny|token|keys)$/;
/** Flags with a value behind them. */
const VALUED =
  /^--(project|address|namespace|profile|env|as|tls-.*|api-key|codec-.*|command-timeout|log-.*|output|time-format|color|config-file|env-file|workflow-id|identity)$/;
/** What of Temporal changes or ends a call past the runtime. */
const WORKFLOW =
  /^(signal|signal-with-start|update|update-with-start|execute-update-with-start|start-update-with-start)$/;
const IN_CODE =
  /\b(?:ability(?:-runtime)?|bin\.js|bin\/ability)\b["'`\s,\][)(]+(?:--[\w-]+(?:[=\s"'`,]+[^\s"'`,-][^\s"'`,]*)?["'`\s,]+)*(approve|deny|token|keys)\b|\btemporal\b["'`\s,\][)(]+(?:--[\w-]+[=\s"'`,]+[^\s"'`,]+["'`\s,]+)*(?:activity\b|(?:workflow|batch)["'`\s,]+(?:signal|update))/;
const OVER_HTTP = /\/api\/v1\/(namespaces\/[^\s/]+\/)?(workflows\/\S+?\/(signal|update)|activit)/i;
const KEPT_KEYS = /(^|[\s/'"=:@(,])\.system\/+(\.\/+)*(keys|tokens)(\b|$)/;

/** A decision about an approval, a key, or a signal past the runtime, among the words of one command. */
export function findDecision(words: readonly string[], folders: readonly string[]): Finding | undefined {
  for (const [at, word] of words.entries()) {
    const rest = words.slice(at + 1);
    const fed = words.slice(0, at).some((before) => /^(xargs|parallel)$/.test(basename(before)));
    if (isOurs(word, folders)) {
      const [first] = positionals(rest);
      if (first === undefined ? fed : DECIDING.test(first) || !isKnown(first)) {
        return forPeople(`\`ability ${shown(first)}\` is for people`);
      }
    } else if (isNamed(word, 'temporal') || isNamed(word, 'tctl')) {
      const [first, second] = positionals(rest);
      const group = first ?? '';
      if (
        first === undefined
          ? fed
          : !isKnown(group) ||
            group === 'activity' ||
            (/^(workflow|wf|batch)$/.test(group) &&
              (second === undefined ? fed : WORKFLOW.test(second) || !isKnown(second)))
      ) {
        return forPeople(`\`temporal ${shown(first)} ${shown(second)}\` goes round approvals and guards`);
      }
    } else if (word === MARK.unknown && /^(approve|deny)$/.test(rest[0] ?? '')) {
      return forPeople(`\`.. ${rest[0]}\` may be a decision`);
    }
  }
  return undefined;
}

/** The same in a text that some program runs, or sends. */
export function findDecisionInText(text: string): Finding | undefined {
  if (KEPT_KEYS.test(text)) return forPeople('.system/keys and .system/tokens hold what proves who decides');
  if (OVER_HTTP.test(text)) return forPeople('A signal to Temporal goes round approvals and guards');
  const found = IN_CODE.exec(text);
  return found ? forPeople(`\`${found[0].replace(/\s+/g, ' ')}\` is for people`) : undefined;
}

function isOurs(word: string, folders: readonly string[]): boolean {
  if (['ability', 'ability-runtime'].some((name) => isNamed(word, name))) return true;
  if (!isKnown(word) || word.startsWith('-') || word.length > 1024) return false;
  return folders.some((folder) => /\/(dist\/command|doors\/cli)\/bin\.[jt]s$/.test(realOf(resolve(folder, word))));
}

function isNamed(word: string, name: string): boolean {
  const plain = basename(word)
    .replace(/\.(cmd|exe|ps1|m?js)$/i, '')
    .replace(/@[\w.-]+$/, '');
  if (isKnown(plain)) return plain === name;
  return plain.replace(/[^\w]/g, '').length >= 3 && patternOf(plain).test(name);
}

function positionals(words: readonly string[]): string[] {
  return words.filter((word, at) => !word.startsWith('-') && !VALUED.test(words[at - 1] ?? ''));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return '';
  }
}

function shown(word: string | undefined): string {
  return word === undefined || !isKnown(word) ? '..' : word;
}
