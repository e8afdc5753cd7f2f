import { parseArgs } from 'node:util';
import { isNoRoom } from '../../disk/disk-errors.js';
import { NO_ROOM } from '../../server/runtime/ensure-runtime.js';
import { ProjectRuntime } from '../../worker/runtime.js';
import { doorOpener } from './door-opener.js';

/** The background process of a project, started by the first command that needs it. */
const { values } = parseArgs({ options: { project: { type: 'string' }, temporal: { type: 'string' } } });
if (values.project === undefined || values.temporal === undefined) {
  throw new TypeError('usage: runtime-main --project DIR --temporal PATH');
}

try {
  const { project: root, temporal: binary } = values;
  const runtime = ProjectRuntime.take({ root, binary, foreground: false, openDoor: doorOpener(root) });
  // Another process has the lock; the caller waits for its runtime.
  if ('holder' in runtime) process.exit(0);
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => runtime.leave());
  process.on('SIGUSR2', () => void runtime.leaveIfIdle());
  await runtime.start();
  await runtime.untilEnd();
  process.exit(0);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  process.exit(isNoRoom(error) ? NO_ROOM : 1);
}
