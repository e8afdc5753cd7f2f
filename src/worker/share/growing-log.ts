import type { SharedLog } from '../../activities/record/task-share.js';

/** How long a line waits to be read elsewhere, while the log is small and beyond: the whole log is written each time. */
const SMALL_MS = 2000;
const LARGE_MS = 10_000;
const SMALL_BYTES = 64 * 1024;

/** A log that is written as a whole, again and again while it grows. */
export class GrowingLog implements SharedLog {
  private readonly parts: Buffer[] = [];
  private bytes = 0;
  private written = 0;
  private timer: NodeJS.Timeout | undefined;

  /** @param write the log so far. */
  constructor(private readonly write: (bytes: Uint8Array) => void) {}

  append(text: string): void {
    const part = Buffer.from(text);
    this.parts.push(part);
    this.bytes += part.length;
    this.timer ??= setTimeout(() => this.end(), this.bytes > SMALL_BYTES ? LARGE_MS : SMALL_MS).unref();
  }

  end(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.bytes === this.written) return;
    this.written = this.bytes;
    this.write(Buffer.concat(this.parts));
  }
}
