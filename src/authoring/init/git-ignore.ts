/** What is not for version control, each with the forms in which people write it. */
const ENTRIES: [entry: string, ...others: string[]][] = [
  ['node_modules/', 'node_modules', '**/node_modules'],
  ['.env', '.env*'],
  ['.env.*', '.env*'],
  ['!.env.example'],
];

/** What the runtime keeps in a project: records, stores, keys, databases. */
const SYSTEM: [entry: string, ...others: string[]] = ['.system/', '.system'];

/** The same beside definitions that stand in `.system/registry` and `.system/hooks`. Source: C-18. */
const SYSTEM_WITH_REGISTRY: [entry: string, ...others: string[]][] = [
  ['.system/*'],
  ['!.system/registry/', '!.system/registry'],
  ['!.system/hooks/', '!.system/hooks'],
];

const TITLE = '# Ability Runtime: what it keeps, and values of this machine';

/**
 * Adds to a `.gitignore` what it does not say yet; its own lines stay as they are.
 *
 * @param hasSystemRegistry whether the definitions stand under `.system`.
 */
export function mergeGitIgnore(text: string, hasSystemRegistry: boolean): string {
  const there = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^(!?)\//, '$1')));
  const wanted = [...(hasSystemRegistry ? SYSTEM_WITH_REGISTRY : [SYSTEM]), ...ENTRIES];
  const missing = wanted.filter((forms) => !forms.some((form) => there.has(form))).map(([entry]) => entry);
  if (missing.length === 0) return text;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const gap = text === '' ? '' : text.endsWith('\n') ? newline : newline + newline;
  return `${text}${gap}${[TITLE, ...missing].join(newline)}${newline}`;
}
