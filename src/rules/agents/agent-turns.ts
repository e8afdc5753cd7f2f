/** Ids of the steps of an agent. No tool has such a name. */
export const TURNS = { turns: 'turns', model: 'model', calls: 'calls' } as const;
