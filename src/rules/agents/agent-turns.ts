/** Ids of the steps of an agent; tools never have these names. */
export const TURNS = { turns: 'turns', model: 'model', calls: 'calls' } as const;
