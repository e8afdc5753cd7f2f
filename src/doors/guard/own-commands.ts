import { realpathSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { IMPORTERS, type ImporterName } from '../../contracts/importers.js';
import { attempt } from '../../text/attempt.js';
import { type Finding, forPeople } from './finding.js';
import { hasLetters, isKnown, MARK, patternOf } from './shell/marks.js';

/** Whether an import may replace guards, and so is for people. Source: R-002-62. */
const REPLACES_GUARDS: Record<ImporterName, boolean> = { mcp: false, openapi: false, hooks: true };
const GUARDS = IMPORTERS.filter((name) => REPLACES_GUARDS[name]);
/** Commands that decide, or that reveal the proof of a decider. */
const DECIDING = /^(approve|deny|login|token|keys)$/;
/** Flags followed by a value. */
const VALUED =
  /^--(door|project|address|namespace|profile|env|as|tls-.*|api-key|codec-.*|command-timeout|log-.*|output|time-format|color|config-file|env-file|workflow-id|identity)$/;
/** Commands of Temporal that change or end a call past the runtime. */
const WORKFLOW =
  /^(signal|signal-with-start|update|update-with-start|execute-update-with-start|start-update-with-start|reset|reset-batch)$/;
const IN_CODE = new RegExp(
  /\b(?:ability(?:-runtime)?|bin\.js|bin\/ability)\b["'`\s,\][)(]+(?:--[\w-]+(?:[=\s"'`,]+[^\s"'`,-][^\s"'`,]*)?["'`\s,]+)*(approve|deny|login|token|keys|import\b["'`\s,\][)(]+(?:GUARDS))\b|\btemporal\b["'`\s,\][)(]+(?:--[\w-]+[=\s"'`,]+[^\s"'`,]+["'`\s,]+)*(?:activity\b|(?:workflow|batch)["'`\s,]+(?:signal|update))/.source.replace(
    'GUARDS',
    GUARDS.join('|'),
  ),
);
const OVER_HTTP =
  /\/(api\/v1\/(namespaces\/[^\s/]+\/)?|namespaces\/[^\s/]+\/)(workflows\/\S+?\/(signal|update|reset)|activit)/i;
/** The route of our HTTP door that decides, with parts that are not known; the route that lists approvals has no id. */
const OVER_OUR_DOOR =
  /\/v1\/(?:tasks|[^\s/]*[\uE000-\uE008][^\s/]*)\/[^\s/]+\/(?:approvals|[^\s/]*[\uE000-\uE008][^\s/]*)\/[^\s/?#"'`]/i;
/** The route that gives a command line the token of the person on the page. */
const LETS_IN = /\/v1\/login\/(?:confirm|[^\s/]*[\uE000-\uE008])/i;
const OVER_GRPC =
  /WorkflowService[/.](SignalW|SignalWith|UpdateWorkflow|ResetWorkflow|RespondActivity|ExecuteMultiOperation|StartBatch)/;
/** Functions of client libraries that decide: ours, and those of Temporal. */
const OURS_DECIDES = /\b(decide|decideLike)\b/;
const TEMPORAL_DECIDES = /\.signal|signal_?[wW]ith|[uU]pdate|[rR]eset|[aA]sync_?[cC]ompletion|async_activity/;
const KEPT_KEYS =
  /(^|[\s/'"=:@(,])\.system\/+(\.\/+)*(keys|tokens)(\b|$)|\bability\/+doors\.json\b|\.config\/+ability(\/|[\s'"]|$)/;

const OUR_FILE = /\/(dist\/command|doors\/cli)\/bin\.[jt]s$/;

/** Finds decisions about approvals or keys, and signals past the runtime, in one command's words. */
export function findDecision(words: readonly string[], folders: readonly string[]): Finding | undefined {
  for (const [at, word] of words.entries()) {
    const rest = words.slice(at + 1);
    const fed = words.slice(0, at).some((before) => /^(xargs|parallel)$/.test(basename(before)));
    if (isOurs(word, folders)) {
      const verbs = positionals(rest);
      const [plain] = verbs;
      const first = verbs.find((verb) => DECIDING.test(verb)) ?? plain;
      if (first === 'import' && importsGuards(rest))
        return forPeople(`\`ability import ${GUARDS.join('` or `')}\` may replace guards, and is for people`);
      if (first === undefined ? fed : DECIDING.test(first) || !isKnown(first)) {
        return forPeople(`\`ability ${shown(first)}\` is for people`);
      }
    } else if (isNamed(word, 'temporal') || isNamed(word, 'tctl')) {
      const groups = positionals(rest);
      const group = groups.find((verb) => /^(activity|workflow|wf|batch)$/.test(verb) || !isKnown(verb)) ?? '';
      const verbs = group === '' ? [] : positionals(rest.slice(rest.indexOf(group) + 1));
      const isMore = group !== '' && (!isKnown(group) || group === 'activity');
      const isWorkflow =
        group !== '' && (verbs.length === 0 ? fed : verbs.some((verb) => WORKFLOW.test(verb) || !isKnown(verb)));
      if (groups.length === 0 ? fed : isMore || isWorkflow) {
        return forPeople(`\`temporal ${shown(group)} ${shown(verbs[0])}\` bypasses approvals and guards`);
      }
    } else if (/^[\uE000\uE008]$/.test(word) && /^(approve|deny)$/.test(rest[0] ?? '')) {
      return forPeople(`\`.. ${rest[0]}\` may be a decision`);
    }
  }
  return undefined;
}

/** `--dry-run` only shows what an import would replace. */
function importsGuards(rest: readonly string[]): boolean {
  const behind = positionals(rest.slice(rest.indexOf('import') + 1));
  const isOther = behind.length > 0 && behind.every((word) => isKnown(word) && !GUARDS.some((name) => name === word));
  return !isOther && !rest.includes('--dry-run');
}

/** As a server reads it: without the escapes of addresses and of texts in code, `//`, `/./` and `/x/../`. */
function plain(text: string): string {
  const code = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16));
  let read = text.replace(/\\(?:x([\da-f]{2})|u\{?0*([\da-f]{2})\}?)/gi, (_, x?: string, u?: string) =>
    code(x ?? u ?? ''),
  );
  // An address may be encoded more than once.
  for (let before = ''; before !== read; ) {
    before = read;
    read = read.replace(/%([\da-f]{2})/gi, (_, hex: string) => code(hex));
  }
  // curl reads `{a,b}` and `[1-3]` as any of these.
  const globbed = read.replace(/(\/[^\s"'`/]*)[{[][^\s/"'`]*[}\]]/g, `$1${MARK.unknown}`);
  return globbed
    .replace(/\\\//g, '/')
    .replace(/(?<!:)\/(?:\.?\/)+/g, '/')
    .replace(/\/[^\s/]+\/\.\.(?=\/)/g, '');
}

/** Like {@link findDecision}, in a text that a program runs or sends. */
export function findDecisionInText(given: string): Finding | undefined {
  const text = /[%\\{[]|\/\.?\.?\//.test(given) ? plain(given) : given;
  if (KEPT_KEYS.test(text))
    return forPeople('.system/keys, .system/tokens and doors.json hold what proves who decides');
  if (OVER_HTTP.test(text) || OVER_GRPC.test(text))
    return forPeople('A signal to Temporal bypasses approvals and guards');
  if (OVER_OUR_DOOR.test(text) || LETS_IN.test(text)) return forPeople('A decision over HTTP is for people');
  const found = IN_CODE.exec(text);
  return found ? forPeople(`\`${found[0].replace(/\s+/g, ' ')}\` is for people`) : undefined;
}

/** Like {@link findDecision}, in code: calls of client libraries. */
export function findDecisionInCode(code: string): Finding | undefined {
  const isOurs = code.includes('ability-runtime') && OURS_DECIDES.test(code);
  const isTemporal = code.includes('temporalio') && TEMPORAL_DECIDES.test(code);
  return isOurs || isTemporal
    ? forPeople('Code that decides by a client library bypasses approvals and guards')
    : undefined;
}

function isOurs(word: string, folders: readonly string[]): boolean {
  if (['ability', 'ability-runtime'].some((name) => isNamed(word, name))) return true;
  if (!isKnown(word) || word.startsWith('-') || word.length > 1024) return false;
  return folders.some((folder) =>
    ['', '.js', '.ts'].some((end) => OUR_FILE.test(attempt(() => realpathSync(resolve(folder, `${word}${end}`)), ''))),
  );
}

function isNamed(word: string, name: string): boolean {
  const plain = basename(word.replace(/^(npm|jsr):/, ''))
    .replace(/\.(cmd|exe|ps1|m?js)$/i, '')
    .replace(/@[\w.-]+$/, '');
  if (isKnown(plain)) return plain === name;
  return hasLetters(plain) && patternOf(plain).test(name);
}

/** Candidates for the command: up to the first word after no flag, as an unknown flag may take a value. */
function positionals(words: readonly string[]): string[] {
  const found: string[] = [];
  for (const [at, word] of words.entries()) {
    if (word.startsWith('-') || VALUED.test(words[at - 1] ?? '')) continue;
    found.push(word);
    const before = words[at - 1] ?? '';
    const isBehindFlag = before.startsWith('-') && before !== '--' && !before.includes('=');
    if (!isBehindFlag) return found;
  }
  return found;
}

function shown(word: string | undefined): string {
  return word === undefined || !isKnown(word) ? '..' : word;
}
