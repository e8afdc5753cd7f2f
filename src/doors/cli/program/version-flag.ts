export function wantsVersion([first]: readonly string[]): boolean {
  return first === '--version' || first === '-V';
}
