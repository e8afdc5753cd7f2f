import { inputName, type Parameter } from './reading.js';
import { type Arm, type Case, casesIn, conditionsIn, type Loop, loopsIn } from './shell-blocks.js';
import { helpFor } from './shell-help.js';
import { blanked, lineAt, type ShellText } from './shell-text.js';
import { asParameter, leaves, saysOf } from './shell-variables.js';

export interface ShellFlags {
  flags: Parameter[];
  /** Positional arguments that the loop itself takes, between or after the flags. */
  places: Parameter[];
  knowsEnd: boolean;
  todos: string[];
  /** The remaining code, in which `$1` is the first argument that the loops leave. */
  rest: string;
  /** Names of the list variables that loops fill. */
  collected: string[];
  /** Whether a loop itself keeps the arguments after `--`. */
  keepsEnd?: boolean;
}

type ReadFlag = Parameter & { variable?: string };

interface ReadFlags extends ShellFlags {
  flags: ReadFlag[];
}

/** Reads `getopts`, and loops with a `case` over the arguments. */
export function shellFlags(text: ShellText, own: string): ShellFlags {
  const found: ReadFlags = { flags: [], places: [], knowsEnd: false, todos: [], rest: own, collected: [] };
  const loops = loopsIn(text.bare).filter(({ from }) => own[from] !== ' ');
  const cases = casesIn(text).filter(({ from }) => own[from] !== ' ');
  const conditions = conditionsIn(text).filter(({ from }) => own[from] !== ' ');
  for (const arm of conditions) {
    const around = loops.find(({ from, to }) => from < arm.from && arm.to < to);
    const place = around ?? { keyword: 'if', head: '', from: arm.from, to: arm.to };
    readArm(arm, { name: undefined, isShifted: false, body: arm.body, loop: place }, text, own, found);
    found.rest = blanked(found.rest, place.from, place.to);
  }
  for (const loop of loops) {
    const isRead = readGetopts(text, own, loop, cases, found) || readLoop(text, own, loop, cases, found);
    const isList = !isRead && readsList(text, own, loop);
    if (isList && !found.places.some(({ takes }) => takes === 'several')) found.places.push(LIST);
    if (isRead || isList) found.rest = blanked(found.rest, loop.from, loop.to);
  }
  found.rest = found.rest.replaceAll(/\bgetopt\b[^\n]*/g, (line) => line.replaceAll('$', ' '));
  // If a loop takes non-options and keeps nothing after `--`, the arguments after that are something else.
  const knowsEnd = found.knowsEnd && (found.keepsEnd === true || found.places.length === 0);
  return { ...found, knowsEnd, flags: withOwnLetters(firstOfEach(found.flags)) };
}

function readGetopts(text: ShellText, own: string, loop: Loop, cases: readonly Case[], found: ReadFlags): boolean {
  const at = loop.head.search(/\bgetopts\b/);
  if (loop.keyword !== 'while' || at < 0) return false;
  const written = /^getopts\s+("[^"]*"|'[^']*'|\S+)\s+(\w+)/.exec(text.raw.slice(loop.from + at));
  const [, quoted = '', name = ''] = written ?? [];
  const line = lineAt(text.raw, loop.from);
  const spec = literalOf(quoted, text, loop.from);
  found.knowsEnd = true;
  if (spec === undefined) {
    found.todos.push(`line ${line}: add the options of \`getopts\`, which the script computes`);
    return true;
  }
  if (spec.includes('-:'))
    found.todos.push(`line ${line}: add the long options, which this script takes out of \`-\` itself`);
  const arms = cases
    .filter(({ from, word }) => from > loop.from && from < loop.to && namesVariable(word, name))
    .flatMap((one) => one.arms);
  for (const [, letter = '', colon] of spec.replace(/^[:+-]+/, '').matchAll(/([A-Za-z0-9])(:?)/g)) {
    const arm = arms.find(({ patterns }) => patterns.includes(letter));
    if (!colon && isHelp(`-${letter}`, arm)) continue;
    found.flags.push(flagOf({ flag: `-${letter}`, hasValue: colon === ':', value: 'OPTARG', arm, loop }, text, own));
  }
  return true;
}

function literalOf(quoted: string, { raw }: ShellText, before: number): string | undefined {
  const plain = quoted.replaceAll(/^["']|["']$/g, '');
  if (!plain.includes('$')) return plain;
  const name = /^\$\{?(\w+)\}?$/.exec(plain)?.[1];
  const set = [
    ...raw
      .slice(0, before)
      .matchAll(new RegExp(`^[ \\t]*(?:readonly |local )?${name}=["']?([:A-Za-z0-9]+)["']?[ \\t]*$`, 'gm')),
  ];
  return name === undefined ? undefined : set.at(-1)?.[1];
}

function namesVariable(word: string, name: string): boolean {
  return new RegExp(`^"?\\$\\{?${name}\\}?"?$`).test(word);
}

/** `while [ $# -gt 0 ]; do case "$1" in`, `for arg in "$@"; do case "$arg" in`, and the loops behind `getopt`. */
function readLoop(text: ShellText, own: string, loop: Loop, cases: readonly Case[], found: ReadFlags): boolean {
  const inner = cases.filter(({ from }) => from > loop.from && from < loop.to);
  const head = text.code.slice(loop.from, loop.from + loop.head.length);
  const over = /^for\s+(\w+)(?:\s+in\s+"?\$[@*]"?|\s+in\s+"\$\{@[^}]*\}"|\s*;?\s*$)/.exec(head)?.[1];
  const body = own.slice(loop.from, loop.to);
  const chosen = inner.find(({ word, from }) => {
    if (/^"?\$(1|\{1[^}]*\})"?$/.test(word)) return true;
    const name = /^"?\$\{?(\w+)[^}]*\}?"?$/.exec(word)?.[1];
    if (name === undefined) return false;
    return name === over || new RegExp(`\\b${name}="?\\$\\{?1\\b`).test(own.slice(loop.from, from));
  });
  if (over !== undefined && !chosen) return readComparisons(over, text, own, loop, found);
  if (!chosen || (loop.keyword === 'for' && over === undefined)) return false;
  const name = over ?? /^"?\$\{?([A-Za-z_]\w*)/.exec(chosen.word)?.[1];
  const isShifted = name !== undefined && /\bshift\b/.test(own.slice(loop.from, chosen.from));
  for (const arm of chosen.arms) readArm(arm, { name, isShifted, body, loop }, text, own, found);
  return true;
}

interface Around {
  /** The variable that holds the argument; undefined: `$1` holds it. */
  name: string | undefined;
  /** Whether a `shift` precedes the `case`, so that `$1` is the next argument. */
  isShifted: boolean;
  body: string;
  loop: Loop;
}

function readArm(arm: Arm, around: Around, text: ShellText, own: string, found: ReadFlags): void {
  const { patterns, body } = arm;
  const line = lineAt(text.raw, arm.from);
  if (patterns.includes('--')) readEnd(body, found);
  const flags = patterns.filter((pattern) => /^--?[A-Za-z0-9][\w.-]*(=\*?|\*)?$/.test(pattern));
  if (flags.length === 0) {
    const isRest = patterns.some(
      (pattern) => pattern === '*' || pattern === '[!-]*' || pattern === '[^-]*' || pattern === '-*',
    );
    if (isRest && !patterns.includes('-*')) readRest(arm, around, text, own, found);
    else if (patterns.some((pattern) => pattern.includes('$'))) {
      found.todos.push(`line ${line}: add this option, whose name the script computes`);
    } else {
      const words = patterns.filter((pattern) => /^[\w.:-]+$/.test(pattern) && pattern !== '--');
      if (words.length > 0) found.todos.push(`line ${line}: add the word ${words.join(' or ')}, which is no option`);
    }
    return;
  }
  const joined = flags.filter((flag) => flag.includes('='));
  const apart = flags.filter((flag) => !/[=*]/.test(flag));
  const longest = apart.find((flag) => flag.startsWith('--')) ?? apart[0];
  const flag = longest ?? (joined[0] ?? flags[0] ?? '').replace(/[=*]+$/, '');
  const value = longest === undefined ? 'joined' : around.isShifted ? '1' : '2';
  const isShiftedInside = /\bshift\b[\s\S]*\$\{?1\b/.test(body) && !/\$\{?2\b/.test(body);
  const hasValue =
    longest === undefined ||
    (around.isShifted ? /\$\{?1\b/.test(body) : /\$\{?2\b|\bshift\s+2\b/.test(body) || isShiftedInside);
  // With a value (`--version 1.2`) it names what to deploy and does not request the script's version.
  if (apart.some((one) => isHelp(one, arm) && !(hasValue && one === '--version'))) return;
  const read = flagOf(
    {
      flag,
      hasValue,
      value: isShiftedInside ? '1' : value,
      arm,
      loop: around.loop,
      holder: around.name,
      isJoined: longest === undefined,
    },
    text,
    own,
  );
  found.flags.push(read);
}

/** The script without a loop: a test inside runs only while arguments remain. */
function behind(text: ShellText, { from, to }: Loop): ShellText {
  return { ...text, code: blanked(text.code, from, to) };
}

/** The arm `--)`: it keeps what follows in a list, or leaves it to later code. */
function readEnd(body: string, found: ReadFlags): void {
  const list = /\b(\w+)\+?=(?:\(\s*)?"?\$[@*]/.exec(body)?.[1];
  if (list !== undefined && !found.collected.includes(list)) {
    found.places.push({ name: inputName(list), takes: 'several', type: 'string', isRequired: false });
  }
  found.knowsEnd = true;
  found.keepsEnd = list !== undefined;
}

/** Non-options: the arm keeps them in a list, or in a series of variables. */
function readRest({ body, from }: Arm, { name, loop }: Around, text: ShellText, own: string, found: ReadFlags): void {
  const given = `"?\\$(?:\\{?1\\}?${name === undefined ? '' : `|\\{?${name}\\}?`})"?(?=[\\s;)]|$)`;
  const list =
    new RegExp(`\\b(\\w+)\\+=\\(\\s*${given}`).exec(body)?.[1] ??
    new RegExp(`\\b(\\w+)="\\$\\{?\\1\\}? ?\\$\\{?(?:1|${name ?? '1'})\\}?"`).exec(body)?.[1];
  if (list !== undefined) {
    found.collected.push(list);
    found.places.push({ name: inputName(list), takes: 'several', type: 'string', isRequired: false });
    return;
  }
  for (const [, variable = ''] of body.matchAll(new RegExp(`\\b([A-Za-z_]\\w*)=${given}`, 'g'))) {
    const { isRequired = false, ...says } = asParameter(saysOf(variable, behind(text, loop), own, loop.from));
    found.places.push({ name: inputName(variable), takes: 'one', ...says, isRequired });
  }
  const isHidden = /\$\{?1\b/.test(body) && !leaves(body) && !/\b(echo|printf|log|warn)\b/.test(body);
  if (isHidden && found.places.length === 0) {
    found.todos.push(`line ${lineAt(text.raw, from)}: add what these commands take besides options`);
  }
}

/** `for arg in "$@"; do [ "$arg" = "--dry-run" ] && ..`. */
function readComparisons(name: string, text: ShellText, own: string, loop: Loop, found: ReadFlags): boolean {
  const compared = new RegExp(`"?\\$\\{?${name}\\}?"?\\s*==?\\s*["']?(--?[A-Za-z][\\w-]*)["']?`, 'g');
  const body = text.raw.slice(loop.from, loop.to);
  const flags = [...body.matchAll(compared)].map(([, flag = '']) => flag);
  for (const flag of flags.filter((one) => !isHelp(one, undefined))) {
    found.flags.push(flagOf({ flag, hasValue: false, value: '', arm: undefined, loop }, text, own));
  }
  return flags.length > 0;
}

interface Written {
  flag: string;
  hasValue: boolean;
  /** The shell variable with the value: `OPTARG`, `1` or `2`; `joined`: the text after `=`. */
  value: string;
  arm: Arm | undefined;
  loop: Loop;
  holder?: string | undefined;
  isJoined?: boolean;
}

function flagOf(
  { flag, hasValue, value, arm, loop, holder, isJoined = false }: Written,
  text: ShellText,
  own: string,
): ReadFlag {
  const help = helpFor(flag, text, arm);
  const long = flag.startsWith('--') ? flag : undefined;
  const reference = value === 'joined' ? `(?:1|${holder ?? '1'})` : value;
  const variable = new RegExp(
    `\\b([A-Za-z_]\\w*)(\\+?)=(\\(?)\\s*("?\\$\\{?\\w+\\}?[ ,])?"?\\$\\{?${reference}\\b`,
  ).exec(arm?.body ?? '');
  const set = /\b([A-Za-z_]\w*)=/.exec(arm?.body ?? '')?.[1];
  const named = long ?? (hasValue ? variable?.[1] : set) ?? flag;
  const shared = { name: inputName(named), flag, ...(help !== undefined && { help }) };
  if (!hasValue) return { ...shared, takes: 'nothing', type: 'string', isRequired: false };
  const isList = variable?.[2] === '+' || variable?.[4] !== undefined;
  const says = variable?.[1] === undefined ? {} : saysOf(variable[1], behind(text, loop), own, loop.from);
  if (isList) return { ...shared, isJoined, takes: 'each', type: 'string', isRequired: false };
  const held = variable?.[1] === undefined ? {} : { variable: variable[1] };
  return { ...shared, isJoined, takes: 'one', isRequired: false, ...asParameter(says), ...held };
}

function isHelp(flag: string, arm: Arm | undefined): boolean {
  if (/^--?(help|version|usage)$|^-\?$/.test(flag)) return true;
  return /^-[hHV]$/.test(flag) && (!arm || /usage|help|version|exit/i.test(arm.body));
}

const LIST: Parameter = { name: 'args', takes: 'several', type: 'string', isRequired: false };

/** `while [ $# -gt 0 ]; do use "$1"; shift; done`: consumes any number of arguments. */
function readsList(text: ShellText, own: string, loop: Loop): boolean {
  const head = text.code.slice(loop.from, loop.from + loop.head.length);
  const body = own.slice(loop.from + loop.head.length, loop.to);
  return /^(while|until)\b[^\n]*\$(#|\{?1)/.test(head) && /\$\{?1\b/.test(body) && /\bshift\b/.test(body);
}

/** Names flags after their own letters if several of them set the same variable. */
function withOwnLetters(flags: readonly Parameter[]): Parameter[] {
  const count = (name: string): number => flags.filter((one) => one.name === name).length;
  return flags.map((one) => {
    if (one.takes !== 'nothing' || count(one.name) < 2) return one;
    return { ...one, name: inputName(one.flag ?? one.name) };
  });
}

/** Keeps one entry for each flag, and one for all flags that set the same variable. */
function firstOfEach(flags: readonly ReadFlag[]): Parameter[] {
  const byFlag = new Map<string, Parameter>();
  const byVariable = new Map<string, Parameter>();
  for (const { variable, ...one } of flags) {
    const same = variable === undefined ? undefined : byVariable.get(variable);
    if (same && one.takes === 'one' && same.takes === 'one' && one.isJoined !== same.isJoined) {
      // The long form has the better name; the form with two arguments takes any value.
      if (one.flag?.startsWith('--')) same.name = one.name;
      if (same.isJoined && !one.isJoined) Object.assign(same, { flag: one.flag, isJoined: false });
      continue;
    }
    if (variable !== undefined) byVariable.set(variable, one);
    const known = byFlag.get(one.flag ?? '');
    if (!known || (known.isJoined && !one.isJoined)) byFlag.set(one.flag ?? '', one);
  }
  return [...byFlag.values()];
}
