/** Of so many results, none of which is larger than {@link MOST_BYTES}, 4 MiB at most. */
const MOST = 64;
const MOST_BYTES = 64 * 1024;

/** What was last made of bytes by a pure function, so that the same bytes need not be worked on again. */
export class RecentBytes {
  private readonly known = new Map<string, Uint8Array>();

  /** The result for these bytes. It is shared, so nobody may write into it. @throws what `make` throws. */
  of(bytes: Uint8Array, make: () => Uint8Array): Uint8Array {
    if (bytes.length > MOST_BYTES) return make();
    const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    const known = this.known.get(key);
    if (known) return known;
    const made = make();
    if (made.length > MOST_BYTES) return made;
    if (this.known.size >= MOST) this.known.delete(this.known.keys().next().value as string);
    this.known.set(key, made);
    return made;
  }
}
