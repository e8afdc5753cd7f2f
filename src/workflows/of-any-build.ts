/**
 * What serves tasks of every build continues on the current one, for `setWorkflowOptions`; a task stays on the build
 * that began it. Source: docs/operations.md#builds-of-workers.
 */
export const OF_ANY_BUILD = { versioningBehavior: 'AUTO_UPGRADE' } as const;
