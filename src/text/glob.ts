/**
 * Whether a name fits a pattern in which `*` stands for any run of characters, as in `ops.*` or `modules/grading.*`.
 *
 * Linear in both, so that a hostile pattern costs no more than an honest one.
 */
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

/** Whether a name fits one of several patterns. */
export function matchesAnyGlob(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesGlob(pattern, name));
}
