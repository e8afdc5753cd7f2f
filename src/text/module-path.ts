/** A module's name as a path: `modules/users.api` and `users/api` are one. */
export function modulePath(module: string): string {
  return module
    .replaceAll('.', '/')
    .replace(/^modules\//, '')
    .replace(/\/$/, '');
}
