import { utimesSync } from 'node:fs';
import { attempt } from '../../text/attempt.js';
import type { ProjectPaths } from '../project-paths.js';

/** */
const DEFAULT_IDLE_MS = 60_000;

/** How long a runtime outlives the last command; `ABILITY_RUNTIME_IDLE_MS` overrides it. */
export function idleLimit(env: NodeJS.ProcessEnv = process.env): number {
  const given = Number(env.ABILITY_RUNTIME_IDLE_MS);
  return Number.isFinite(given) && given > 0 ? given : DEFAULT_IDLE_MS;
}

/** Touches of a connection come at least three times within the idle limit. */
const TOUCHES = 3;
/** Maximum interval: the runtime may have been started with a shorter idle limit. */
const MAX_MS = 1000;

/** Marks the runtime as needed until the returned function is called; does not keep the process alive. */
export function keepTouching(paths: ProjectPaths, env: NodeJS.ProcessEnv = process.env): () => void {
  const touch = (): void => {
    // A process with a connection must not end because it cannot touch a file.
    attempt(() => {
      // Never recreates a file: a removed project stays removed.
      const now = new Date();
      utimesSync(paths.touchFile, now, now);
    });
  };
  const timer = setInterval(touch, Math.min(idleLimit(env) / TOUCHES, MAX_MS)).unref();
  return () => {
    clearInterval(timer);
    touch();
  };
}
