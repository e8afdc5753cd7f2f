/** The real Temporal server, built from its Go module once and kept in the user's cache. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs of a Temporal server. */
export interface ServerPrograms {
  /** The version of Temporal. */
  version: string;
  server: string;
  sqlTool: string;
}

/** States its version in `go.mod`, and all its dependencies in `go.sum`. */
const MODULE = fileURLToPath(new URL('server', import.meta.url));
const PACKAGES = {
  'temporal-sql-tool': 'go.temporal.io/server/cmd/tools/sql',
  'temporal-server': 'go.temporal.io/server/cmd/server',
};
const BUILD_MS = 30 * 60_000;

/** Builds what is missing. @returns why there is no server, if Go is missing or the build fails. */
export function buildServer(say: (line: string) => void): ServerPrograms | string {
  const version = /go\.temporal\.io\/server v(\S+)/.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1] ?? '';
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache');
  const folder = join(cache, 'ability-runtime-test', `temporal-server-${version}`);
  mkdirSync(folder, { recursive: true });
  for (const [name, from] of Object.entries(PACKAGES)) {
    const program = join(folder, name);
    if (existsSync(program)) continue;
    if (!hasGo()) return 'Go is not installed, and the Temporal server is built from its Go module';
    say(`building ${name} ${version} from its Go module; this takes minutes, once`);
    const options = { cwd: MODULE, encoding: 'utf8', timeout: BUILD_MS } as const;
    const { status, stderr, error } = spawnSync('go', ['build', '-mod=readonly', '-o', program, from], options);
    if (status !== 0) return `${name} ${version} could not be built: ${stderr || String(error)}`;
  }
  return { version, server: join(folder, 'temporal-server'), sqlTool: join(folder, 'temporal-sql-tool') };
}

function hasGo(): boolean {
  try {
    execFileSync('go', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
