/** Why an operation does not become an ability. Caught where operations are gathered, and told by name. */
export class NotExpressible extends Error {
  override readonly name = 'NotExpressible';
}
