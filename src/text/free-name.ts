/** The name; if it is taken, the first of `NAME_2`, `NAME_3` and so on that is not. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name;
  for (let count = 2; isTaken(free); count += 1) free = `${name}_${count}`;
  return free;
}
