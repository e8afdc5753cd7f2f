/** A file that is to be written, and what stood there while it was planned. */
export interface PlannedFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  content: string;
  /** What the file held when this was planned; absent: there was none, and none may be there when it is written. */
  before?: string;
}
