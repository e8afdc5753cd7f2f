/** By name: `*.test.yaml`. */
export function isCaseFile(path: string): boolean {
  return /\.test\.ya?ml$/.test(path);
}
