/** Workers of a project, for programs that host them. */
export { allPlaces, type HostOptions, type Place, WorkerHost } from './host-workers.js';
export { type ListedServer, type ListedTool, type ListOptions, listTools, type UnreadableTool } from './list-tools.js';
export type { RecordedHistory } from './replay/history-events.js';
export { findHistoryFiles, readHistoryFile } from './replay/read-history-file.js';
export { type Difference, type ReplayEnd, type ReplayOptions, replayHistory } from './replay/replay-history.js';
export { KeyFolder, keysFromEnvironment } from './seal-keys.js';
export { type ServeOptions, serve } from './serve-external.js';
