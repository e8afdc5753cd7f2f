/** A person as the runtime knows them. `claimed` means that nothing proves the name. Source: docs/approvals.md#who-may-decide. */
export interface Person {
  name: string;
  source: 'claimed' | 'proved';
  /** The agent that asks in the person's name, as its client calls itself; a claim. Left out: the person does. */
  agent?: string;
}
