/** Whether a command line asks for the version and nothing else. */
export function isVersionAsked([first]: readonly string[]): boolean {
  return first === '--version' || first === '-V';
}
