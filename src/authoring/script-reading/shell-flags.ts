import { inputName } from './input-names.js';
import type { Parameter } from './reading.js';
import { type Arm, type Case, casesIn, type Loop, loopsIn } from './shell-blocks.js';
import { helpFor } from './shell-help.js';
import { blanked, lineAt, type ShellText } from './shell-text.js';
import { leaves, saysOf } from './shell-variables.js';

/** What the loops over the arguments of a shell script take. */
export interface ShellFlags {
  flags: Parameter[];
  /** What stands between and behind the flags, where the loop itself takes it. */
  places: Parameter[];
  knowsEnd: boolean;
  todos: string[];
  /** The code that is left, in which `$1` is what the loops leave. */
  rest: string;
  /** Lists that loops collect, by the name of the variable. */
  collected: string[];
}

/** Reads `getopts`, and loops with a `case` over the arguments. */
export function shellFlags(text: ShellText, own: string): ShellFlags {
  const found: ShellFlags = { flags: [], places: [], knowsEnd: false, todos: [], rest: own, collected: [] };
  const loops = loopsIn(text.bare).filter(({ from }) => own[from] !== ' ');
  const cases = casesIn(text).filter(({ from }) => own[from] !== ' ');
  for (const loop of loops) {
    const isRead = readGetopts(text, own, loop, cases, found) || readLoop(text, own, loop, cases, found);
    if (isRead) found.rest = blanked(found.rest, loop.from, loop.to);
  }
  found.rest = found.rest.replaceAll(/\bgetopt\b[^\n]*/g, (line) => line.replaceAll('$', ' '));
  found.flags = firstOfEach(found.flags);
  return found;
}

function readGetopts(text: ShellText, own: string, loop: Loop, cases: readonly Case[], found: ShellFlags): boolean {
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

/** A literal, or a variable that is plainly set to one. */
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
function readLoop(text: ShellText, own: string, loop: Loop, cases: readonly Case[], found: ShellFlags): boolean {
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
  /** The variable that holds the argument, where it is not `$1`. */
  name: string | undefined;
  /** Whether `$1` is the one behind already. */
  isShifted: boolean;
  body: string;
  loop: Loop;
}

function readArm(arm: Arm, around: Around, text: ShellText, own: string, found: ShellFlags): void {
  const { patterns, body } = arm;
  const line = lineAt(text.raw, arm.from);
  if (patterns.includes('--')) found.knowsEnd = true;
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
  if (apart.length > 0 && apart.some((one) => isHelp(one, arm))) return;
  const value = longest === undefined ? 'joined' : around.isShifted ? '1' : '2';
  const isShiftedInside = /\bshift\b[\s\S]*\$\{?1\b/.test(body) && !/\$\{?2\b/.test(body);
  const hasValue =
    longest === undefined ||
    (around.isShifted ? /\$\{?1\b/.test(body) : /\$\{?2\b|\bshift\s+2\b/.test(body) || isShiftedInside);
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

/** What is no option: kept in a list, or in one variable after the other. */
function readRest({ body, from }: Arm, { name, loop }: Around, text: ShellText, own: string, found: ShellFlags): void {
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
    const { isRequired = false, ...says } = asParameter(saysOf(variable, text, own, loop.from));
    found.places.push({ name: inputName(variable), takes: 'one', ...says, isRequired });
  }
  const isHidden = /\$\{?1\b/.test(body) && !leaves(body) && !/\b(echo|printf|log|warn)\b/.test(body);
  if (isHidden && found.places.length === 0) {
    found.todos.push(`line ${lineAt(text.raw, from)}: add what these commands take besides options`);
  }
}

/** `for arg in "$@"; do [ "$arg" = "--dry-run" ] && ..`. */
function readComparisons(name: string, text: ShellText, own: string, loop: Loop, found: ShellFlags): boolean {
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
  /** The variable of the shell that has the value: `OPTARG`, `2`; `joined` for what stands behind `=`. */
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
): Parameter {
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
  const says = variable?.[1] === undefined ? {} : saysOf(variable[1], text, own, loop.from);
  if (isList) return { ...shared, isJoined, takes: 'each', type: 'string', isRequired: false };
  return { ...shared, isJoined, takes: 'one', isRequired: false, ...asParameter(says) };
}

/** What is said of a variable, as what is asked of the input. */
export function asParameter(
  says: ReturnType<typeof saysOf>,
): Pick<Parameter, 'type' | 'default' | 'choices'> & { isRequired?: boolean } {
  const isNumber = says.isNumber && !says.choices;
  return {
    type: isNumber ? 'integer' : 'string',
    ...(says.default !== undefined && { default: isNumber ? Number(says.default) : says.default }),
    ...(says.choices && { choices: says.choices }),
    ...(says.isRequired && { isRequired: true }),
  };
}

function isHelp(flag: string, arm: Arm | undefined): boolean {
  if (/^--?(help|version|usage)$|^-\?$/.test(flag)) return true;
  return /^-[hHV]$/.test(flag) && (!arm || /usage|help|version|exit/i.test(arm.body));
}

function firstOfEach(flags: readonly Parameter[]): Parameter[] {
  const byFlag = new Map<string, Parameter>();
  for (const one of flags) {
    const known = byFlag.get(one.flag ?? '');
    if (!known || (known.isJoined && !one.isJoined)) byFlag.set(one.flag ?? '', one);
  }
  return [...byFlag.values()];
}
