/** Variables of the environment that a script reads. */
export interface VariablesRead {
  /** Without these it fails. */
  required: string[];
  /** These it can do without, or nothing says. */
  optional: string[];
}

/** Variables that every profile passes, or that a shell sets itself. */
const USUAL =
  /^(PATH|HOME|LANG|TMPDIR|PWD|OLDPWD|SHELL|IFS|USER|LOGNAME|HOSTNAME|OSTYPE|MACHTYPE|HOSTTYPE|UID|EUID|PPID|RANDOM|SECONDS|LINENO|OPTARG|OPTIND|OPTERR|REPLY|FUNCNAME|PIPESTATUS|TERM|COLUMNS|LINES|EPOCHSECONDS|NODE_ENV|PS[0-9]|BASH\w*|LC_\w+|_)$/;

/** Variables that a script in Python or JavaScript, or in a shell, takes from its environment. */
export function variablesIn(code: string, language: 'shell' | 'python' | 'javascript'): VariablesRead {
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
  // Set from itself, it comes from outside: `PORT=${PORT:-80}`.
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
