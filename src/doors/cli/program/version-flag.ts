export function isVersionAsked([first]: readonly string[]): boolean {
  return first === '--version' || first === '-V';
}
