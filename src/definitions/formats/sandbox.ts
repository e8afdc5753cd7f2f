import { z } from 'zod';
import { byteSize, duration, matching, optional, texts } from './values.js';

/** The box of a script or stdio server. Source: docs/scripts.md#in-a-box. */
const sandbox = z.strictObject({
  network: z
    .enum(['none', 'hosts'])
    .default('none')
    .describe('`hosts`: a proxy lets it reach `policy.allowed_hosts`; without it, nothing.'),
  read: texts.default([]).describe('Files and folders that it may read, relative to the project root or absolute.'),
  write: texts.default([]).describe('Files and folders that it may read and write.'),
});

/** Source: docs/scripts.md#limits. */
const limits = z.strictObject({
  memory: optional(byteSize, 'How much data each process may have.'),
  cpu: optional(duration, 'How much processor time each process may use, in whole seconds.'),
  processes: optional(
    z.number().int().min(1).max(100_000),
    'How many processes and threads a box may have together; 256 without it.',
  ),
  user: optional(
    matching(/^(?!root$)[a-z_][a-z0-9_-]{0,31}$/, 'The name of a user of the machine, not root, belongs here'),
    'The user that it runs as, where the worker is root.',
  ),
});

/** Fields of whatever starts a process. */
export const confinement = {
  sandbox: optional(sandbox, 'Runs it in a box that sees only these paths; `{}` is the narrowest.'),
  limits: optional(limits, 'Limits of its processes.'),
};

export type Confinement = { [K in keyof typeof confinement]?: z.output<(typeof confinement)[K]> };
