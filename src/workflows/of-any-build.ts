import { BUILD_FLAG } from '../contracts/names.js';

/**
 * What serves tasks of every build continues on the current one, for `setWorkflowOptions`; a task stays on the build
 * that began it. Not every server takes it from a worker without a build. Source: docs/operations.md#builds-of-workers.
 */
export const OF_ANY_BUILD = (globalThis as Record<string, unknown>)[BUILD_FLAG]
  ? ({ versioningBehavior: 'AUTO_UPGRADE' } as const)
  : {};
