/** Whether a step runs in a loop, as in `hosts/12/check`. No step id begins with a digit. */
export function isInTurn(path: string): boolean {
  return /\/\d+\//.test(path);
}

/** Replaces the numbers of turns by `*`. */
export function generalPath(path: string): string {
  return path.replaceAll(/\/\d+(?=\/)/g, '/*');
}

/** The number of the innermost turn; 0 outside loops. */
export function turnOf(path: string): number {
  return Number([...path.matchAll(/\/(\d+)(?=\/)/g)].at(-1)?.[1] ?? 0);
}
