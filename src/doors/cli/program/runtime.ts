import { Option } from '@commander-js/extra-typings';
import { type Commands, declare, type FlagsOf } from './declare-command.js';

const runtime = () => ({
  up: declare(
    'up',
    'start the runtime of this project and stay in the foreground',
    'ability up',
    'ability up --detach',
  ).option('--detach', 'leave it in the background'),
  down: declare('down', 'stop the runtime of this project; tasks wait and go on later', 'ability down'),
  open: declare(
    'open [key]',
    'open the page of this project in the browser: approvals, tasks, abilities',
    'ability open',
    'ability open KEY',
  ),
  doctor: declare(
    'doctor',
    'check everything a task needs',
    'ability doctor',
    'ability doctor --fix',
    'TEMPORAL_ADDRESS=host:7233 ability doctor',
  ).option('--fix', 'do what can be done safely'),
  worker: declare(
    'worker',
    'serve tasks of a Temporal server that runs already',
    'ability worker --address temporal.internal:7233 --env staging --placement cloud',
  )
    .option('--env <name...>', 'environments to serve (default: all)')
    .addOption(new Option('--placement <where>', 'local, cloud or one of the project; all').default('all'))
    .option(
      '--metrics <ADDRESS>',
      'address at which to serve the metrics of this worker for Prometheus, such as 127.0.0.1:9464',
    )
    .option('--health <ADDRESS>', 'address that answers 200 while this worker can take work, such as 127.0.0.1:9465')
    .option(
      '--build <ID>',
      'serve as this build of a Temporal worker deployment: tasks stay on the build that began them',
    ),
});

export type RuntimeFlags = FlagsOf<typeof runtime>;

export function addRuntime({ add }: Commands): void {
  const { up, down, open, doctor, worker } = runtime();
  add(up, () => import('../commands/up.js'));
  add(down, () => import('../commands/down.js'));
  add(open, () => import('../commands/open.js'));
  add(doctor, () => import('../commands/doctor/doctor.js'));
  add(worker, () => import('../commands/worker.js'));
}
