/** A message is larger than any output may be. */
export class MessageTooLarge extends Error {
  constructor(most: number) {
    super(`A message of the server has more than ${most} bytes`);
  }
}

const LINE_FEED = 0x0a;

/** The lines of an output that comes in pieces; each line of a server on stdio is a message. */
export class MessageLines {
  private pieces: Buffer[] = [];
  private length = 0;

  /** @param most bytes of one line. */
  constructor(private readonly most: number) {}

  /** The lines that end in the next piece, without their ends. @throws MessageTooLarge. */
  *add(piece: Buffer): Generator<Buffer> {
    let rest = piece;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      this.keep(rest.subarray(0, end));
      const line = Buffer.concat(this.pieces);
      this.clear();
      yield line;
      rest = rest.subarray(end + 1);
    }
    this.keep(rest);
  }

  /** Forgets a line that has not ended. */
  clear(): void {
    this.pieces = [];
    this.length = 0;
  }

  private keep(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.most) {
      this.clear();
      throw new MessageTooLarge(this.most);
    }
    this.pieces.push(piece);
  }
}
