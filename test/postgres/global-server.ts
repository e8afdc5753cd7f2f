import type { TestProject } from 'vitest/node';
import { buildServer, type ServerPrograms } from './build-server.js';
import { findPostgres, type PostgresPrograms } from './postgresql.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** What a real server needs, or why it is not available here. */
    real: { programs: ServerPrograms; postgres: PostgresPrograms } | { missing: string };
  }
}

/** Finds PostgreSQL and builds the Temporal server before the first test, unless that has been done already. */
export default function setup(project: TestProject): void {
  const postgres = findPostgres();
  const programs =
    typeof postgres === 'string' ? postgres : buildServer((line) => process.stderr.write(`postgres: ${line}\n`));
  if (typeof postgres === 'string' || typeof programs === 'string') {
    const missing = typeof postgres === 'string' ? postgres : String(programs);
    process.stderr.write(`postgres: skipped, since ${missing}\n`);
    project.provide('real', { missing });
  } else project.provide('real', { programs, postgres });
}
