/** So many pieces are joined at once: an output that is made of single characters takes thirty times its room. */
const MOST_PIECES = 1024;

/** The start of an output that comes in pieces, however small these are. */
export class KeptBytes {
  private pieces: Buffer[] = [];
  private length = 0;

  /** @param most so many bytes are kept at least; the rest of the piece that reaches them is kept with them. */
  constructor(private readonly most: number) {}

  /** Takes the next piece. */
  add(piece: Buffer): void {
    if (this.length >= this.most) return;
    this.length += piece.length;
    this.pieces.push(piece);
    if (this.pieces.length >= MOST_PIECES) this.pieces = [Buffer.concat(this.pieces)];
  }

  /** What was kept. */
  bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}
