import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { relative, sep } from 'node:path';
import type { Problem } from '../contracts/problem.js';
import { isInside } from '../disk/paths.js';
import { faultInUtf8 } from '../text/lossless-json/decode-utf8.js';
import { YAML_LIMITS } from './yaml-document.js';
import { isProblem, readYaml, type YamlSource } from './yaml-source.js';

export interface ReadFile {
  /** Relative to the project root, with forward slashes. */
  file: string;
  digest: string;
  text: string;
  source: YamlSource | Problem;
}

/** Reads files, and reads them again only if they changed. */
export class FileCache {
  private readonly known = new Map<string, { stamp: string; read: ReadFile }>();

  constructor(private readonly root: string) {}

  /** A link out of the project is a problem. @param anywhere allows a file outside, which the user named. */
  read(path: string, anywhere = false): ReadFile {
    try {
      const stamp = stampOf(path);
      const known = this.known.get(path);
      if (stamp !== undefined && known?.stamp === stamp) return known.read;
      const file = this.nameOf(path);
      if (stamp === undefined) return refused(file, 'definition.invalid', `${file} is no file`);
      const read = this.readNow(path, file, anywhere);
      this.known.set(path, { stamp, read });
      return read;
    } catch (error) {
      const file = this.nameOf(path);
      return refused(file, 'definition.invalid', `${file} ${whyUnreadable(error)}`);
    }
  }

  private nameOf(path: string): string {
    return relative(this.root, path).split(sep).join('/');
  }

  private readNow(path: string, file: string, anywhere: boolean): ReadFile {
    if (!anywhere && !isInside(this.root, realpathSync(path))) {
      return refused(file, 'definition.invalid', `${file} is a link that leads out of the project`);
    }
    const bytes = readUpTo(YAML_LIMITS.bytes, path);
    if (bytes === 'no file') return refused(file, 'definition.invalid', `${file} is no file`);
    if (bytes === 'too large') {
      return refused(file, 'definition.too_large', `${file} is larger than ${YAML_LIMITS.bytes / 1024} KiB`);
    }
    const fault = faultInUtf8(bytes);
    if (fault) {
      const location = { file, line: bytes.toString('latin1', 0, fault.byte).split('\n').length };
      const problem = { code: 'definition.syntax', message: `${file} is not in UTF-8`, location, suggestion: IN_UTF8 };
      return { file, digest: digestOf(bytes), text: '', source: problem };
    }
    const text = new TextDecoder().decode(bytes);
    return { file, digest: digestOf(bytes), text, source: readYaml(file, text) };
  }
}

const IN_UTF8 = 'Save it as UTF-8.';

/** Undefined for what is no file. */
function stampOf(path: string): string | undefined {
  const stat = statSync(path, { bigint: true });
  return stat.isFile() ? `${stat.mtimeNs}:${stat.size}:${stat.ino}` : undefined;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Checks the opened file again, without blocking: reading a pipe in its place would never end. */
function readUpTo(max: number, path: string): Buffer | 'no file' | 'too large' {
  const handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(handle);
    if (!stat.isFile()) return 'no file';
    if (stat.size > max) return 'too large';
    const bytes = readFileSync(handle);
    return bytes.length > max ? 'too large' : bytes;
  } finally {
    closeSync(handle);
  }
}

/** The system's error without the path on this machine. */
function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'is a link to something that is not there';
  if (code === 'ELOOP') return 'is a link that leads to itself';
  return `cannot be read (${code ?? String(error)})`;
}

export function sourceOf(read: ReadFile): YamlSource | undefined {
  return isProblem(read.source) ? undefined : read.source;
}

function refused(file: string, code: string, message: string): ReadFile {
  return { file, digest: code, text: '', source: { code, message, location: { file } } };
}
