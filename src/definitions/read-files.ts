import { createHash } from 'node:crypto';
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';
import type { Problem } from '../contracts/problem.js';
import { isProblem, readYaml, YAML_LIMITS, type YamlSource } from './yaml-source.js';

/** A file that was read: its bytes' digest, and its value or what is wrong with it. */
export interface ReadFile {
  /** Relative to the project root, with forward slashes. */
  file: string;
  digest: string;
  text: string;
  source: YamlSource | Problem;
}

/** Reads files once and again only when they changed. */
export class FileCache {
  private readonly known = new Map<string, { stamp: string; read: ReadFile }>();

  constructor(private readonly root: string) {}

  /** Reads one YAML file. A link that leads out of the project is a problem, not a file. */
  read(path: string): ReadFile {
    const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
    const file = relative(this.root, path).split(sep).join('/');
    if (!stat?.isFile()) {
      const message = `${file} is ${stat ? 'no file' : 'a link to something that is not there'}`;
      return refused(file, { code: 'definition.invalid', message });
    }
    const stamp = `${stat.mtimeNs}:${stat.size}:${stat.ino}`;
    const known = this.known.get(path);
    if (known?.stamp === stamp) return known.read;
    const read = this.readNow(path, file, Number(stat.size));
    this.known.set(path, { stamp, read });
    return read;
  }

  private readNow(path: string, file: string, bytes: number): ReadFile {
    if (!isInside(this.root, realpathSync(path))) {
      return refused(file, { code: 'definition.invalid', message: `${file} is a link that leads out of the project` });
    }
    if (bytes > YAML_LIMITS.bytes) {
      const limit = `${YAML_LIMITS.bytes / 1024} KiB`;
      return refused(file, { code: 'definition.too_large', message: `${file} is larger than ${limit}` });
    }
    const text = readFileSync(path, 'utf8');
    return { file, digest: createHash('sha256').update(text).digest('hex'), text, source: readYaml(file, text) };
  }
}

/** Whether a path, already resolved, lies in a folder. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** The value of a file that could be read, or undefined. */
export function sourceOf(read: ReadFile): YamlSource | undefined {
  return isProblem(read.source) ? undefined : read.source;
}

function refused(file: string, problem: Problem): ReadFile {
  return { file, digest: problem.code, text: '', source: { ...problem, location: { file } } };
}
