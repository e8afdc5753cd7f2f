/** Thrown for invalid CEL. `range` counts UTF-16 units of the text. */
export class SyntaxFailure {
  constructor(
    readonly summary: string,
    readonly range: { start: number; end: number },
  ) {}
}
