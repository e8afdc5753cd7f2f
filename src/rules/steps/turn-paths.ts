/** Whether a step runs in a loop: `hosts/12/check`. No id of a step begins with a digit. */
export function isInTurn(path: string): boolean {
  return /\/\d+\//.test(path);
}

/** A path with `*` in place of the numbers of turns. */
export function generalPath(path: string): string {
  return path.replaceAll(/\/\d+(?=\/)/g, '/*');
}

/** The number of the innermost turn of a path; 0 for a step in no loop. */
export function turnOf(path: string): number {
  return Number([...path.matchAll(/\/(\d+)(?=\/)/g)].at(-1)?.[1] ?? 0);
}
