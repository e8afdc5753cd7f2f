/** Thrown for text that is not CEL; the place is in UTF-16 units of the text. */
export class SyntaxFailure {
  constructor(
    readonly summary: string,
    readonly range: { start: number; end: number },
  ) {}
}
