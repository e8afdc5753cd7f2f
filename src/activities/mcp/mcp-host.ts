import type { CallInput } from '../call-input.js';
import type { ProcessGroups } from '../script/process-groups.js';

/** On whose behalf a connection is used: a call, or the planning of one. */
export type McpUser = Pick<CallInput, 'secrets' | 'log' | 'stop' | 'timeoutMs'> & {
  environment: Pick<CallInput['environment'], 'name'>;
};

/** Where servers are started, and who knows of their processes. */
export interface McpHost {
  /** Absolute path of the project. */
  root: string;
  groups: ProcessGroups;
}
