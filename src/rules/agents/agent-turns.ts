/** Ids of the steps of an agent; no tool has one of these names. */
export const TURNS = { turns: 'turns', model: 'model', calls: 'calls' } as const;
