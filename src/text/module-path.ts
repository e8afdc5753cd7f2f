/** `modules/users.api` and `users/api` give the same path. */
export function modulePath(module: string): string {
  return module
    .replaceAll('.', '/')
    .replace(/^modules\//, '')
    .replace(/\/$/, '');
}
