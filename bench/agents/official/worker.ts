/**
 * The worker process of the official integration, as its README sets it up; settings of the worker are the twin's.
 *
 *     TEMPORAL_ADDRESS=127.0.0.1:7233 BENCH_SERVICE_URL=http://127.0.0.1:P node worker.js --task-queue Q --identity I
 */
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { OpenAIProvider } from '@openai/agents-openai';
import { OpenAIAgentsPlugin } from '@temporalio/openai-agents';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import * as activities from './activities.js';

const { values } = parseArgs({ options: { 'task-queue': { type: 'string' }, identity: { type: 'string' } } });
const { 'task-queue': taskQueue, identity } = values;
if (!taskQueue || !identity) throw new Error('Say --task-queue and --identity.');
Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address: process.env['TEMPORAL_ADDRESS'] ?? '127.0.0.1:7233' });
const modelProvider = new OpenAIProvider({
  baseURL: `${process.env['BENCH_SERVICE_URL']}/v1`,
  apiKey: 'none',
  useResponses: false,
});
const worker = await Worker.create({
  connection,
  taskQueue,
  identity,
  workflowsPath: fileURLToPath(new URL('./workflows.js', import.meta.url)),
  activities,
  // As an ES module the bundle would be in parts that are loaded later, which the sandbox cannot do.
  bundlerOptions: {
    webpackConfigHook: (config) => ({
      ...config,
      module: { ...config.module, parser: { ...config.module?.parser, javascript: { dynamicImportMode: 'eager' } } },
    }),
  },
  plugins: [new OpenAIAgentsPlugin({ modelProvider })],
  reuseV8Context: true,
  stickyQueueScheduleToStartTimeout: '1s',
  maxEagerActivityReservationsPerWorkflowTask: 10,
});
const ended = worker.run();
process.stdout.write(`${JSON.stringify({ ready: true, pid: process.pid })}\n`);
await ended;
await connection.close();
