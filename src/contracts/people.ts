/**
 * A person as the runtime knows them. `claimed` means that nothing proves the name. Source:
 * docs/approvals.md#who-may-decide.
 */
export interface Person {
  name: string;
  source: 'claimed' | 'proved';
  /** The agent that acts for the person, as its client calls itself; a claim. Omitted: the person acts directly. */
  agent?: string;
}
