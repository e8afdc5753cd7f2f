/** A worker of the twin, and a client beside it on the same connection. */
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { Agent } from 'undici';
import { createActivities } from './activities.js';

export interface HostOptions {
  /** Host and port of the Temporal frontend. */
  address: string;
  namespace: string;
  taskQueue: string;
  /** Origin of the benchmark's HTTP service, without a slash at the end. */
  service: string;
  /** Path of the bundle that `build.ts` wrote. */
  bundle: string;
  /** The identity in the events; by default process id and host name, whose length differs between processes. */
  identity?: string;
}

export interface Host {
  /** Not yet running: its `run()` is the caller's. */
  worker: Worker;
  client: Client;
  /** Closes what they share; the worker has to have ended. */
  close(): Promise<void>;
}

/** Connects and makes the worker. Everything that is not said here is the SDK's default, the pollers too. */
export async function openHost(options: HostOptions): Promise<Host> {
  const { address, namespace, taskQueue, service, bundle, identity } = options;
  const connection = await NativeConnection.connect({ address });
  const dispatcher = new Agent();
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle: { codePath: bundle },
    activities: createActivities({ origin: service, dispatcher }),
    reuseV8Context: true,
    stickyQueueScheduleToStartTimeout: '1s',
    maxEagerActivityReservationsPerWorkflowTask: 10,
    ...(identity && { identity }),
  });
  const client = new Client({ connection, namespace, ...(identity && { identity }) });
  return {
    worker,
    client,
    async close() {
      await dispatcher.close();
      await connection.close();
    },
  };
}
