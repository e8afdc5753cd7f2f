import { basename, extname } from 'node:path/posix';
import { type CodeLanguage, tokensOf } from './code-tokens.js';
import { callsOf } from './code-values.js';
import { readArgparse } from './read-argparse.js';
import { readArgv } from './read-argv.js';
import { readClick } from './read-click.js';
import { readCommander } from './read-commander.js';
import { readParseArgs, readYargs } from './read-parse-args.js';
import { readShell } from './read-shell.js';
import { type Found, type Printed, parametersOf, type Reading, withOwnNames } from './reading.js';
import { shellText } from './shell-text.js';
import { summaryOf } from './summary-of.js';

type Language = CodeLanguage | 'shell';

const BY_PROGRAM: [RegExp, Language][] = [
  [/^(sh|bash|dash|ash|ksh|mksh|zsh)$/, 'shell'],
  [/^(python|pypy)[\d.]*$/, 'python'],
  [/^(node|nodejs|deno|bun|tsx|ts-node)$/, 'javascript'],
];
const BY_EXTENSION: Record<string, Language> = {
  '.sh': 'shell',
  '.bash': 'shell',
  '.zsh': 'shell',
  '.ksh': 'shell',
  '.py': 'python',
  '.js': 'javascript',
  '.mjs': 'javascript',
  '.cjs': 'javascript',
  '.ts': 'javascript',
  '.mts': 'javascript',
};

/** Reads how a script is called from its text alone; never runs it. */
export function readScript(path: string, code: string): Reading {
  const language = languageOf(path, code);
  const said = summaryOf(code, basename(path));
  if (!language) {
    const [shebang = ''] = code.startsWith('#!') ? code.split('\n', 1) : [];
    const what = shebang === '' ? extname(path) || 'a file without an ending' : shebang;
    const todos = [`write the arguments; scaffold reads shells, Python and Node, and not ${what}`];
    return reading({ commands: [{ words: [], parts: [], knowsEnd: false }], todos }, { summary: said });
  }
  const found = language === 'shell' ? readShell(code) : readCode(code, language);
  // Without comments and, in shells, single-quoted text and here-documents: code in them does not run.
  const plain = language === 'shell' ? shellText(code).code : withoutComments(code, language);
  const variables = variablesIn(plain, language);
  const todos = [
    ...found.todos,
    ...(language === 'python' ? promptsIn(code) : []),
    ...(variables.required.length > 0 ? [neededOf(variables.required)] : []),
  ];
  const remarks =
    variables.optional.length > 0
      ? [`reads the variables ${variables.optional.join(', ')}: an env_profile passes them`]
      : [];
  return reading(
    { ...found, todos },
    {
      summary: said ?? firstLine(found.summary),
      remarks,
      prints: printedBy(plain, language),
      keepsFiles: keepsFiles(found, code),
      readsStdin: readsStdin(plain, language),
    },
  );
}

interface Beside extends Partial<Omit<Reading, 'commands' | 'todos' | 'summary'>> {
  summary?: string | undefined;
}

function reading({ commands, todos }: Found, { summary, prints = 'text', remarks = [], ...more }: Beside): Reading {
  const named = commands.map(withOwnNames).map((command) => {
    const own = firstLine(command.summary);
    return { ...command, ...(own !== undefined ? { summary: own } : {}) };
  });
  const flags = { ...(more.keepsFiles && { keepsFiles: true }), ...(more.readsStdin && { readsStdin: true }) };
  return { commands: named, todos, remarks, prints, ...flags, ...(summary !== undefined && { summary }) };
}

function languageOf(path: string, code: string): Language | undefined {
  const [shebang = ''] = code.startsWith('#!') ? code.slice(2).split('\n', 1) : [];
  for (const word of shebang.trim().split(/\s+/)) {
    const found = BY_PROGRAM.find(([pattern]) => pattern.test(basename(word)));
    if (found) return found[1];
  }
  return shebang === '' ? BY_EXTENSION[extname(path)] : undefined;
}

function readCode(code: string, language: CodeLanguage): Found {
  const tokens = tokensOf(code, language);
  const calls = callsOf(tokens);
  const found =
    language === 'python'
      ? (readArgparse(calls) ?? readClick(calls, tokens))
      : (readCommander(calls, tokens) ?? readYargs(calls, tokens) ?? readParseArgs(calls, tokens));
  return found ?? readArgv(tokens, language);
}

function withoutComments(code: string, language: CodeLanguage): string {
  return language === 'python'
    ? code.replaceAll(/^\s*#[^\n]*/gm, '')
    : code.replaceAll(/^\s*\/\/[^\n]*|\/\*[\s\S]*?\*\//gm, '');
}

function neededOf(names: readonly string[]): string {
  const them = names.length === 1 ? 'the variable' : 'the variables';
  return `the script needs ${them} ${names.join(', ')}: let an env_profile pass or set them, or write \`env\`; a secret as a reference, env:NAME`;
}

/** Reports Python's `input()` and `getpass()`: the runtime has no terminal to answer them. */
function promptsIn(code: string): string[] {
  const tokens = tokensOf(code, 'python');
  const call = callsOf(tokens).find(
    ({ method, on }) => (method === 'input' && on === '') || (method === 'getpass' && on !== 'os'),
  );
  return call
    ? [
        `line ${call.line}: the script asks at the terminal; write in \`stdin\` what to answer, or pass the option that leaves the question out`,
      ]
    : [];
}

/** JSON or CSV if that is clearly all that the script prints; else text. */
function printedBy(code: string, language: Language): Printed {
  if (language === 'shell') return 'text';
  const prints =
    language === 'python'
      ? [...code.matchAll(/(?<![\w.])print\(([^\n]*)/g)].filter(([, what = '']) => !/file\s*=\s*sys\.stderr/.test(what))
      : [...code.matchAll(/\bconsole\.(?:log|info)\(([^\n]*)/g)];
  const written = /sys\.stdout\.write|process\.stdout\.write|click\.echo|typer\.echo|subprocess|child_process/.test(
    code,
  );
  const isJson = ([, what = '']: RegExpMatchArray): boolean => /^\s*(json\.dumps|JSON\.stringify)\(/.test(what);
  if (prints.length === 1 && !written && prints.every(isJson)) return 'json';
  return prints.length === 0 && !written && /csv\.(writer|DictWriter)\(\s*sys\.stdout/.test(code) ? 'csv' : 'text';
}

/** Takes only `--input FILE --output FILE` with JSON, as the runtime passes them. Source: R-002-13. */
function keepsFiles({ commands }: Found, code: string): boolean {
  const [only, ...others] = commands;
  if (!only || others.length > 0) return false;
  const parameters = parametersOf(only);
  const isFile = (name: string): boolean =>
    parameters.some(({ flag, takes }) => flag === `--${name}` && takes === 'one');
  const isOnly = parameters.every(({ flag }) => flag === '--input' || flag === '--output');
  return isOnly && isFile('input') && isFile('output') && /\bjson\b/i.test(code);
}

function readsStdin(code: string, language: Language): boolean {
  if (language === 'python') return /\bsys\.stdin\b(?!\.isatty)/.test(code);
  if (language === 'javascript')
    return /\bprocess\.stdin\b(?!\.isTTY)|readFileSync\(\s*(0|['"]\/dev\/stdin['"])/.test(code);
  return /\/dev\/stdin\b|\$\(cat\s*-?\)|\$\(<\s*\/dev\/stdin\)|(?:^|[;&\n])[ \t]*cat[ \t]*-?[ \t]*(?:\||>|$)/m.test(
    code,
  );
}

function firstLine(text: string | undefined): string | undefined {
  const line = text
    ?.split('\n')
    .map((one) => one.trim())
    .find((one) => /\p{L}/u.test(one));
  return line?.slice(0, 200);
}

interface VariablesRead {
  required: string[];
  optional: string[];
}

/** Variables that every profile passes, or that a shell sets itself. */
const USUAL =
  /^(PATH|HOME|LANG|TMPDIR|PWD|OLDPWD|SHELL|IFS|USER|LOGNAME|HOSTNAME|OSTYPE|MACHTYPE|HOSTTYPE|UID|EUID|PPID|RANDOM|SECONDS|LINENO|OPTARG|OPTIND|OPTERR|REPLY|FUNCNAME|PIPESTATUS|TERM|COLUMNS|LINES|EPOCHSECONDS|NODE_ENV|PS[0-9]|BASH\w*|LC_\w+|_)$/;

function variablesIn(code: string, language: 'shell' | 'python' | 'javascript'): VariablesRead {
  const { required, optional } = language === 'shell' ? inShell(code) : inCode(code, language);
  const known = [...new Set(required)].filter((name) => !USUAL.test(name));
  return {
    required: known,
    optional: [...new Set(optional)].filter((name) => !USUAL.test(name) && !known.includes(name)),
  };
}

function inCode(code: string, language: 'python' | 'javascript'): VariablesRead {
  if (language === 'python') {
    return {
      required: namesIn(code, /\benviron\s*\[\s*["']([A-Za-z_]\w*)["']\s*\](?!\s*=[^=])/g),
      optional: namesIn(code, /\b(?:environ\.get|getenv)\(\s*["']([A-Za-z_]\w*)["']/g),
    };
  }
  const read = namesIn(code, /\bprocess\.env(?:\.|\[\s*["'])([A-Za-z_]\w*)(?!\w|["'\]\s]*=[^=])/g);
  const refused = namesIn(code, /if\s*\(\s*!\s*process\.env\.([A-Za-z_]\w*)[\s\S]{0,200}?(?:exit|throw)/g);
  const isRefused = (name: string): boolean => refused.includes(name);
  return { required: read.filter(isRefused), optional: read.filter((name) => !isRefused(name)) };
}

function inShell(code: string): VariablesRead {
  const set = new Set(
    namesIn(
      code,
      /(?:^|[\s;&|(])(?:(?:local|declare|readonly|export|typeset)\s+(?:-\w+\s+)?)?([A-Za-z_]\w*)\+?=|\bfor\s+([A-Za-z_]\w*)\b|\bgetopts\s+\S+\s+([A-Za-z_]\w*)/gm,
    ),
  );
  for (const [words] of code.matchAll(/\b(?:read|mapfile|readarray)\b[^\n;|<)]*/g)) {
    for (const word of words.split(/\s+/).slice(1)) set.add(word);
  }
  // A variable set from itself comes from outside: `PORT=${PORT:-80}`.
  const own = new Set(namesIn(code, /(?:^|[\s;])([A-Z_][A-Z0-9_]*)="?\$\{\1\b/gm));
  const isOutside = (name: string): boolean => !set.has(name) || own.has(name);
  const required = namesIn(code, /\$\{([A-Z_][A-Z0-9_]*):?\?/g).filter(isOutside);
  const tested = namesIn(
    code,
    /-z\s+"?\$\{?([A-Z_][A-Z0-9_]*)(?::?-)?\}?"?\s*\]\]?\s*(?:;\s*then|&&|\n\s*then)[^\n]*(?:\n[^\n]*){0,3}?\b(?:exit|die|usage|return 1)\b/g,
  ).filter((name) => !set.has(name));
  const optional = namesIn(code, /\$\{?([A-Z_][A-Z0-9_]{2,})\b/g).filter(isOutside);
  return { required: [...required, ...tested], optional };
}

function namesIn(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap(([, ...groups]) => groups.filter((name) => name !== undefined));
}
