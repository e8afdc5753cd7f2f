/** Whether a name matches a pattern such as `ops.*`. Takes at most the product of their lengths in time. */
export function matchesGlob(pattern: string, name: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (from < name.length) {
    if (at < pattern.length && pattern[at] === '*') {
      star = at;
      resume = from;
      at += 1;
    } else if (at < pattern.length && pattern[at] === name[from]) {
      at += 1;
      from += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      from = resume;
    } else return false;
  }
  while (pattern[at] === '*') at += 1;
  return at === pattern.length;
}

export function matchesAnyGlob(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name));
}

/** Whether a path with `/` matches: `*` is any part of one name, `**` any number of folders. */
export function matchesPath(pattern: string, path: string): boolean {
  return matches(pattern.split('/'), path.split('/'));
}

function matches([first, ...patterns]: readonly string[], names: readonly string[]): boolean {
  if (first === undefined) return names.length === 0;
  if (first === '**') {
    // `a/**` matches everything below a, but not a itself.
    if (patterns.length === 0) return names.length > 0;
    return names.some((_, from) => matches(patterns, names.slice(from)));
  }
  const [name, ...rest] = names;
  return name !== undefined && matchesGlob(first, name) && matches(patterns, rest);
}

/** What is wrong with a pattern for {@link matchesPath}; undefined: nothing. */
export function whyNoPathPattern(pattern: string): string | undefined {
  if (pattern.startsWith('/')) return 'is no path relative to {output_dir}';
  const names = pattern.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..')) {
    return 'has a part that is empty, `.` or `..`';
  }
  if (/[\\?[\]{}!]/.test(pattern)) return 'uses more than `*` and `**`, which is not supported';
  if (names.some((name) => name !== '**' && name.includes('**'))) return 'has `**` beside other letters';
  if (names.filter((name) => name === '**').length > 2) return 'has `**` more than twice';
  return undefined;
}
