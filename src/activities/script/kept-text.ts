/** So many pieces are joined at once: a text that is made of single characters takes thirty times its room. */
const MOST_PIECES = 1024;

/** The start of a text that comes in pieces, however small these are. */
export class KeptText {
  private pieces: string[] = [];
  private length = 0;

  /** @param most so many characters are kept at least; the rest of the piece that reaches them is kept with them. */
  constructor(private readonly most: number) {}

  /** Takes the next piece. */
  add(piece: string): void {
    if (this.length >= this.most) return;
    this.length += piece.length;
    this.pieces.push(piece);
    if (this.pieces.length >= MOST_PIECES) this.pieces = [Buffer.from(this.pieces.join('')).toString()];
  }

  /** What was kept. */
  text(): string {
    return this.pieces.join('');
  }
}
