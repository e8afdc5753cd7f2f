/** Whether a file holds test cases, by its name: `*.test.yaml`. Apart from the readers of YAML, which no guard loads. */
export function isCaseFile(path: string): boolean {
  return /\.test\.ya?ml$/.test(path);
}
