/**
 * The worker process of the twin.
 *
 *     TEMPORAL_ADDRESS=127.0.0.1:7233 node worker.js --task-queue Q --service http://127.0.0.1:P [--namespace N] [--identity I]
 *
 * Prints `{"ready": true, "pid", "task_queue"}` as one line when it polls. SIGUSR2 makes it print
 * `{"cpu": {"user", "system"}, "rss"}`: microseconds since the process began, all threads, and bytes. SIGTERM ends it.
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { openHost } from './host.js';

const { values } = parseArgs({
  options: {
    namespace: { type: 'string', default: 'default' },
    'task-queue': { type: 'string' },
    service: { type: 'string' },
    identity: { type: 'string' },
  },
});
const { namespace, identity, service, 'task-queue': taskQueue } = values;
if (!taskQueue || !service) throw new Error('Say --task-queue and --service.');

// By default the SDK takes SIGUSR2 as a wish to end.
Runtime.install({ shutdownSignals: ['SIGTERM', 'SIGINT'], logger: new DefaultLogger('WARN') });

const host = await openHost({
  address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233',
  namespace,
  taskQueue,
  service,
  bundle: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)),
  ...(identity && { identity }),
});
process.on('SIGUSR2', () => print({ cpu: process.cpuUsage(), rss: process.memoryUsage.rss() }));
const ended = host.worker.run();
print({ ready: true, pid: process.pid, task_queue: taskQueue });
await ended;
await host.close();

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
